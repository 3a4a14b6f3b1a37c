/* posix_file.c: wraps open, close, seek, sync, size: calls that name a descriptor. */
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
#include "symbols/resolve.h"

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

#define MADE (O_CREAT | O_EXCL) /* by mkstemp and similar calls */

/* The mode is passed whenever the kernel reads it: O_TMPFILE needs it like O_CREAT. */
static inline bool has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* ---- close ----
 * The descriptor's file is looked up and forgotten before the real call: after it another thread
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

JST_INLINE void sync_done(jst_block *b, int fd, int r, uint64_t t)
{
    event_done(b, fd, r >= 0, JST_CELL_POSIX_SYNC_OPS, JST_CELL_POSIX_SYNC_NS, t);
}

JST_INLINE void meta_done(jst_block *b, int fd, int r, uint64_t t)
{
    event_done(b, fd, r >= 0, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
}

/* For calls that return the error's number and do not set errno. */
JST_INLINE void error_done(jst_block *b, int fd, int error, uint64_t t)
{
    if (error == 0)
        jst_fd_event(b, jst_fd_slot(fd), fd, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    else
        jst_fail(b, jst_fd_slot(fd), error);
}

/* at, whence: as given; r: where the offset is now. */
static void seek_done(jst_block *b, int fd, off64_t at, int whence, off64_t r)
{
    event_done(b, fd, r >= 0, JST_CELL_POSIX_SEEK_OPS, 0, 0);
    if (r >= 0)
        jst_access_sought(fd, (uint64_t)r, whence == SEEK_CUR && at == 0);
}

#include "generated/posix_file.inc"
