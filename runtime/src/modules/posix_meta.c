/* posix_meta.c: calls that name a path, and those that tell about a file. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../io.h"

#define META JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS

int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags);

/* A path is read only when the real call has read it without a fault. */
static void path_done(jst_block *b, int dir, const char *path, bool fine, uint64_t t)
{
    int error = fine ? 0 : errno;
    unsigned place = jst_path_place_after(error, dir, path);
    if (fine)
        jst_event(b, place, META, t);
    else
        jst_fail(b, place, error);
}

/* The answer itself names the device: no further look is needed for a mount that is known. */
static void stat_done(jst_block *b, int dir, const char *path, int r, uint64_t maj, uint64_t min,
                      uint64_t t)
{
    if (r == 0)
        jst_event(b, jst_dev_place(maj, min, dir, path), META, t);
    else
        path_done(b, dir, path, false, t);
}

static void fd_done(jst_block *b, int fd, bool fine, uint64_t t)
{
    int error = errno;
    if (fine)
        jst_event(b, jst_fd_place(fd), META, t);
    else
        jst_fail(b, jst_fd_place(fd), error);
}

/* fstatat and statx with an empty path ask about the descriptor. */
static void statat_done(jst_block *b, int dir, const char *path, int r, uint64_t maj, uint64_t min,
                        uint64_t t)
{
    bool read = path && (r == 0 || (errno != EFAULT && errno != EINVAL && errno != ENOSYS));
    if (dir >= 0 && (r == 0 || read) && (!path || !path[0]))
        fd_done(b, dir, r == 0, t);
    else
        stat_done(b, dir, path, r, maj, min, t);
}

/* ---- stat ---- */

JST_EXPORT int stat(const char *path, struct stat *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(stat)(path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int stat64(const char *path, struct stat64 *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(stat64)(path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int lstat(const char *path, struct stat *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(lstat)(path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int lstat64(const char *path, struct stat64 *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(lstat64)(path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int fstat(int fd, struct stat *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fstat)(fd, st);
    if (b)
        fd_done(b, fd, r == 0, t);
    return r;
}

JST_EXPORT int fstat64(int fd, struct stat64 *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fstat64)(fd, st);
    if (b)
        fd_done(b, fd, r == 0, t);
    return r;
}

JST_EXPORT int fstatat(int dir, const char *path, struct stat *st, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fstatat)(dir, path, st, flags);
    if (b)
        statat_done(b, dir, path, r, r == 0 ? major(st->st_dev) : 0, r == 0 ? minor(st->st_dev) : 0,
                    t);
    return r;
}

JST_EXPORT int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fstatat64)(dir, path, st, flags);
    if (b)
        statat_done(b, dir, path, r, r == 0 ? major(st->st_dev) : 0, r == 0 ? minor(st->st_dev) : 0,
                    t);
    return r;
}

JST_EXPORT int __xstat(int version, const char *path, struct stat *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__xstat)(version, path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int __xstat64(int version, const char *path, struct stat64 *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__xstat64)(version, path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int __lxstat(int version, const char *path, struct stat *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__lxstat)(version, path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int __lxstat64(int version, const char *path, struct stat64 *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__lxstat64)(version, path, st);
    if (b)
        stat_done(b, AT_FDCWD, path, r, r == 0 ? major(st->st_dev) : 0,
                  r == 0 ? minor(st->st_dev) : 0, t);
    return r;
}

JST_EXPORT int __fxstat(int version, int fd, struct stat *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__fxstat)(version, fd, st);
    if (b)
        fd_done(b, fd, r == 0, t);
    return r;
}

JST_EXPORT int __fxstat64(int version, int fd, struct stat64 *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__fxstat64)(version, fd, st);
    if (b)
        fd_done(b, fd, r == 0, t);
    return r;
}

JST_EXPORT int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__fxstatat)(version, dir, path, st, flags);
    if (b)
        statat_done(b, dir, path, r, r == 0 ? major(st->st_dev) : 0, r == 0 ? minor(st->st_dev) : 0,
                    t);
    return r;
}

JST_EXPORT int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__fxstatat64)(version, dir, path, st, flags);
    if (b)
        statat_done(b, dir, path, r, r == 0 ? major(st->st_dev) : 0, r == 0 ? minor(st->st_dev) : 0,
                    t);
    return r;
}

JST_EXPORT int statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(statx)(dir, path, flags, mask, st);
    if (b)
        statat_done(b, dir, path, r, r == 0 ? st->stx_dev_major : 0, r == 0 ? st->stx_dev_minor : 0,
                    t);
    return r;
}

/* ---- names ---- */

JST_EXPORT int truncate(const char *path, off_t size)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(truncate)(path, size);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int truncate64(const char *path, off64_t size)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(truncate64)(path, size);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int access(const char *path, int mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(access)(path, mode);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(faccessat)(dir, path, mode, flags);
    if (b)
        path_done(b, dir, path, r >= 0, t);
    return r;
}

JST_EXPORT int rename(const char *from, const char *to)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(rename)(from, to);
    if (b)
        path_done(b, AT_FDCWD, to, r >= 0, t);
    return r;
}

JST_EXPORT int unlink(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(unlink)(path);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int unlinkat(int dir, const char *path, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(unlinkat)(dir, path, flags);
    if (b)
        path_done(b, dir, path, r >= 0, t);
    return r;
}

JST_EXPORT int remove(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(remove)(path);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int link(const char *from, const char *to)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(link)(from, to);
    if (b)
        path_done(b, AT_FDCWD, to, r >= 0, t);
    return r;
}

JST_EXPORT int symlink(const char *target, const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(symlink)(target, path);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int symlinkat(const char *target, int dir, const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(symlinkat)(target, dir, path);
    if (b)
        path_done(b, dir, path, r >= 0, t);
    return r;
}

JST_EXPORT ssize_t readlink(const char *path, char *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(readlink)(path, buf, n);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT ssize_t readlinkat(int dir, const char *path, char *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(readlinkat)(dir, path, buf, n);
    if (b)
        path_done(b, dir, path, r >= 0, t);
    return r;
}

JST_EXPORT int chmod(const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(chmod)(path, mode);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int utimensat(int dir, const char *path, const struct timespec times[2], int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(utimensat)(dir, path, times, flags);
    if (b)
        path_done(b, dir, path, r >= 0, t);
    return r;
}

JST_EXPORT int mkdir(const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(mkdir)(path, mode);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int mkdirat(int dir, const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(mkdirat)(dir, path, mode);
    if (b)
        path_done(b, dir, path, r >= 0, t);
    return r;
}

JST_EXPORT int rmdir(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(rmdir)(path);
    if (b)
        path_done(b, AT_FDCWD, path, r >= 0, t);
    return r;
}

JST_EXPORT int renameat(int fdir, const char *from, int tdir, const char *to)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(renameat)(fdir, from, tdir, to);
    if (b)
        path_done(b, tdir, to, r >= 0, t);
    return r;
}

JST_EXPORT int renameat2(int fdir, const char *from, int tdir, const char *to, unsigned flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(renameat2)(fdir, from, tdir, to, flags);
    if (b)
        path_done(b, tdir, to, r >= 0, t);
    return r;
}

JST_EXPORT int linkat(int fdir, const char *from, int tdir, const char *to, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(linkat)(fdir, from, tdir, to, flags);
    if (b)
        path_done(b, tdir, to, r >= 0, t);
    return r;
}

/* ---- directories ---- */

JST_EXPORT DIR *opendir(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    DIR *r = JST_REAL(opendir)(path);
    if (b) {
        if (r)
            jst_fd_opened(dirfd(r));
        path_done(b, AT_FDCWD, path, r != NULL, t);
    }
    return r;
}

JST_EXPORT DIR *fdopendir(int fd)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    DIR *r = JST_REAL(fdopendir)(fd);
    if (b)
        fd_done(b, fd, r != NULL, t);
    return r;
}

JST_EXPORT int closedir(DIR *dir)
{
    jst_block *b = jst_enter();
    DIR *volatile given = dir; /* declared to be never NULL, and yet it is */
    int fd = given ? dirfd(given) : -1;
    unsigned place = b && given ? jst_fd_place(fd) : 0;
    jst_fd_forget(fd);
    uint64_t t = jst_begin(b);
    int r = JST_REAL(closedir)(dir);
    if (b && r == 0)
        jst_event(b, place, META, t);
    return r;
}

/* The end of a directory is no failure, and leaves errno alone. */
JST_EXPORT struct dirent *readdir(DIR *dir)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    struct dirent *r = JST_REAL(readdir)(dir);
    if (b && r)
        jst_event(b, jst_fd_place(dirfd(dir)), META, t);
    return r;
}

JST_EXPORT struct dirent64 *readdir64(DIR *dir)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    struct dirent64 *r = JST_REAL(readdir64)(dir);
    if (b && r)
        jst_event(b, jst_fd_place(dirfd(dir)), META, t);
    return r;
}

/* ---- the working directory: relative paths mean something else now ---- */

JST_EXPORT int chdir(const char *path)
{
    int r = JST_REAL(chdir)(path);
    if (r == 0 && !jst_tls_vfork)
        jst_cwd_changed();
    return r;
}

JST_EXPORT int fchdir(int fd)
{
    int r = JST_REAL(fchdir)(fd);
    if (r == 0 && !jst_tls_vfork)
        jst_cwd_changed();
    return r;
}
