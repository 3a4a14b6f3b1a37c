/* posix_file.c: open, close, seek, sync, size: calls that name a descriptor. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "common.h"
#include "files/access.h"
#include "files/errors.h"
#include "files/io.h"
#include "files/mount.h"
#include "resolve.h"

int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
int __close(int fd);
off_t __lseek(int fd, off_t at, int whence);

/* ---- open ---- */

static void open_done(jst_block *b, int dir, const char *path, int flags, int fd, uint64_t t)
{
    int error = fd < 0 ? errno : 0;
    if (JST_UNLIKELY(fd < 0)) {
        jst_fail(b, jst_path_slot_after(error, dir, path), error);
        return;
    }
    uint64_t ticks = jst_elapsed(b, t);
    unsigned slot = jst_fd_opened_at(fd, dir, path, flags);
    jst_event_took(b, slot, JST_CELL_POSIX_OPEN_OPS, JST_CELL_POSIX_META_NS, ticks);
    jst_file_called(b, slot, fd, JST_CELL_POSIX_OPEN_OPS, ticks);
}

#define MADE (O_CREAT | O_EXCL) /* by mkstemp and its kin */

/* The mode is passed whenever the kernel looks at it: O_TMPFILE needs it as O_CREAT does. */
static inline bool has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

JST_EXPORT int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (has_mode(flags)) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(open)(path, flags, mode);
    if (b)
        open_done(b, AT_FDCWD, path, flags, fd, t);
    return fd;
}

JST_EXPORT int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (has_mode(flags)) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(open64)(path, flags, mode);
    if (b)
        open_done(b, AT_FDCWD, path, flags, fd, t);
    return fd;
}

JST_EXPORT int __open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (has_mode(flags)) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(__open)(path, flags, mode);
    if (b)
        open_done(b, AT_FDCWD, path, flags, fd, t);
    return fd;
}

JST_EXPORT int __open64(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (has_mode(flags)) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(__open64)(path, flags, mode);
    if (b)
        open_done(b, AT_FDCWD, path, flags, fd, t);
    return fd;
}

JST_EXPORT int openat(int dir, const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (has_mode(flags)) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(openat)(dir, path, flags, mode);
    if (b)
        open_done(b, dir, path, flags, fd, t);
    return fd;
}

JST_EXPORT int openat64(int dir, const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (has_mode(flags)) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(openat64)(dir, path, flags, mode);
    if (b)
        open_done(b, dir, path, flags, fd, t);
    return fd;
}

JST_EXPORT int __open_2(const char *path, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(__open_2)(path, flags);
    if (b)
        open_done(b, AT_FDCWD, path, flags, fd, t);
    return fd;
}

JST_EXPORT int __open64_2(const char *path, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(__open64_2)(path, flags);
    if (b)
        open_done(b, AT_FDCWD, path, flags, fd, t);
    return fd;
}

JST_EXPORT int __openat_2(int dir, const char *path, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(__openat_2)(dir, path, flags);
    if (b)
        open_done(b, dir, path, flags, fd, t);
    return fd;
}

JST_EXPORT int __openat64_2(int dir, const char *path, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(__openat64_2)(dir, path, flags);
    if (b)
        open_done(b, dir, path, flags, fd, t);
    return fd;
}

JST_EXPORT int creat(const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(creat)(path, mode);
    if (b)
        open_done(b, AT_FDCWD, path, O_CREAT, fd, t);
    return fd;
}

JST_EXPORT int creat64(const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(creat64)(path, mode);
    if (b)
        open_done(b, AT_FDCWD, path, O_CREAT, fd, t);
    return fd;
}

JST_EXPORT int mkstemp(char *name)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkstemp)(name);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

JST_EXPORT int mkstemp64(char *name)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkstemp64)(name);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

JST_EXPORT int mkostemp(char *name, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkostemp)(name, flags);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

JST_EXPORT int mkostemp64(char *name, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkostemp64)(name, flags);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

JST_EXPORT int mkstemps(char *name, int suffix)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkstemps)(name, suffix);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

JST_EXPORT int mkstemps64(char *name, int suffix)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkstemps64)(name, suffix);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

JST_EXPORT int mkostemps(char *name, int suffix, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkostemps)(name, suffix, flags);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

JST_EXPORT int mkostemps64(char *name, int suffix, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = JST_REAL(mkostemps64)(name, suffix, flags);
    if (b)
        open_done(b, AT_FDCWD, name, MADE, fd, t);
    return fd;
}

/* ---- close ----
 * What the descriptor was is looked up and forgotten before the real call: after it another thread
 * may have been given the same number. */

static void close_done(jst_block *b, unsigned slot, unsigned file, int r, uint64_t written,
                       uint64_t t)
{
    if (r < 0) {
        if (file)
            jst_file_left(b, file, 0);
        jst_fail(b, slot, errno);
        return;
    }
    jst_closed(b, slot, file, JST_CELL_POSIX_CLOSE_OPS, JST_CELL_POSIX_META_NS, t);
    jst_access_closed(b, slot, written);
}

/* Returns the bytes that were written to it. */
static uint64_t closes(jst_block *b, unsigned slot, int fd)
{
    if (!b || jst_nothing_moved(fd))
        return 0;
    jst_read_ends(b, slot, fd);
    return jst_access_take(fd);
}

JST_EXPORT int close(int fd)
{
    jst_block *b = jst_enter();
    unsigned slot = b ? jst_fd_slot_trusted(fd) : 0;
    uint64_t written = closes(b, slot, fd);
    unsigned file = jst_file_leave(fd);
    jst_fd_forget(fd);
    uint64_t t = jst_begin(b);
    int r = JST_REAL(close)(fd);
    if (b)
        close_done(b, slot, file, r, written, t);
    return r;
}

JST_EXPORT int __close(int fd)
{
    jst_block *b = jst_enter();
    unsigned slot = b ? jst_fd_slot_trusted(fd) : 0;
    uint64_t written = closes(b, slot, fd);
    unsigned file = jst_file_leave(fd);
    jst_fd_forget(fd);
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__close)(fd);
    if (b)
        close_done(b, slot, file, r, written, t);
    return r;
}

/* ---- seek, sync, size ---- */

static void event_done(jst_block *b, int fd, bool fine, unsigned ops_cell, unsigned ns_cell,
                       uint64_t t)
{
    int error = errno;
    unsigned slot = jst_fd_slot(fd);
    if (fine)
        jst_fd_event(b, slot, fd, ops_cell, ns_cell, t);
    else
        jst_fail(b, slot, error);
}

/* at, whence: as given; r: where the offset is now. */
static void seek_done(jst_block *b, int fd, off64_t at, int whence, off64_t r)
{
    event_done(b, fd, r >= 0, JST_CELL_POSIX_SEEK_OPS, 0, 0);
    if (r >= 0)
        jst_access_sought(fd, (uint64_t)r, whence == SEEK_CUR && at == 0);
}

JST_EXPORT off_t lseek(int fd, off_t at, int whence)
{
    jst_block *b = jst_enter();
    off_t r = JST_REAL(lseek)(fd, at, whence);
    if (b)
        seek_done(b, fd, at, whence, r);
    return r;
}

JST_EXPORT off64_t lseek64(int fd, off64_t at, int whence)
{
    jst_block *b = jst_enter();
    off64_t r = JST_REAL(lseek64)(fd, at, whence);
    if (b)
        seek_done(b, fd, at, whence, r);
    return r;
}

JST_EXPORT off_t __lseek(int fd, off_t at, int whence)
{
    jst_block *b = jst_enter();
    off_t r = JST_REAL(__lseek)(fd, at, whence);
    if (b)
        seek_done(b, fd, at, whence, r);
    return r;
}

JST_EXPORT int fsync(int fd)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fsync)(fd);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_SYNC_OPS, JST_CELL_POSIX_SYNC_NS, t);
    return r;
}

JST_EXPORT int fdatasync(int fd)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fdatasync)(fd);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_SYNC_OPS, JST_CELL_POSIX_SYNC_NS, t);
    return r;
}

JST_EXPORT int sync_file_range(int fd, off64_t at, off64_t n, unsigned flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(sync_file_range)(fd, at, n, flags);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_SYNC_OPS, JST_CELL_POSIX_SYNC_NS, t);
    return r;
}

JST_EXPORT int syncfs(int fd)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(syncfs)(fd);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_SYNC_OPS, JST_CELL_POSIX_SYNC_NS, t);
    return r;
}

JST_EXPORT int ftruncate(int fd, off_t size)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(ftruncate)(fd, size);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    return r;
}

JST_EXPORT int ftruncate64(int fd, off64_t size)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(ftruncate64)(fd, size);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    return r;
}

JST_EXPORT int fallocate(int fd, int mode, off_t at, off_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fallocate)(fd, mode, at, n);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    return r;
}

JST_EXPORT int fallocate64(int fd, int mode, off64_t at, off64_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fallocate64)(fd, mode, at, n);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    return r;
}

JST_EXPORT int posix_fallocate(int fd, off_t at, off_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(posix_fallocate)(fd, at, n);
    if (b && r == 0)
        jst_fd_event(b, jst_fd_slot(fd), fd, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    else if (b)
        jst_fail(b, jst_fd_slot(fd), r); /* it returns the error number and leaves errno alone */
    return r;
}

JST_EXPORT int posix_fallocate64(int fd, off64_t at, off64_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(posix_fallocate64)(fd, at, n);
    if (b && r == 0)
        jst_fd_event(b, jst_fd_slot(fd), fd, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    else if (b)
        jst_fail(b, jst_fd_slot(fd), r); /* it returns the error number and leaves errno alone */
    return r;
}

JST_EXPORT int fchmod(int fd, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fchmod)(fd, mode);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    return r;
}

JST_EXPORT int futimens(int fd, const struct timespec times[2])
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(futimens)(fd, times);
    if (b)
        event_done(b, fd, r >= 0, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    return r;
}
