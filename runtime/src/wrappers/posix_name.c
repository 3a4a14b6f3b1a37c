/* posix_name.c: calls that make, change or remove a name, and what stands beside it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "posix_meta.h"
#include "resolve.h"

JST_EXPORT int truncate(const char *path, off_t size)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(truncate)(path, size);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int truncate64(const char *path, off64_t size)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(truncate64)(path, size);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int access(const char *path, int mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(access)(path, mode);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(faccessat)(dir, path, mode, flags);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT int rename(const char *from, const char *to)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(rename)(from, to);
    return b ? path_done(b, AT_FDCWD, to, r, t) : r;
}

JST_EXPORT int unlink(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(unlink)(path);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int unlinkat(int dir, const char *path, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(unlinkat)(dir, path, flags);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT int remove(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(remove)(path);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int link(const char *from, const char *to)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(link)(from, to);
    return b ? path_done(b, AT_FDCWD, to, r, t) : r;
}

JST_EXPORT int symlink(const char *target, const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(symlink)(target, path);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int symlinkat(const char *target, int dir, const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(symlinkat)(target, dir, path);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT ssize_t readlink(const char *path, char *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(readlink)(path, buf, n);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT ssize_t readlinkat(int dir, const char *path, char *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(readlinkat)(dir, path, buf, n);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT int chmod(const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(chmod)(path, mode);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int utimensat(int dir, const char *path, const struct timespec times[2], int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(utimensat)(dir, path, times, flags);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT int mkdir(const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(mkdir)(path, mode);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int mkdirat(int dir, const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(mkdirat)(dir, path, mode);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT int rmdir(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(rmdir)(path);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int renameat(int fdir, const char *from, int tdir, const char *to)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(renameat)(fdir, from, tdir, to);
    return b ? path_done(b, tdir, to, r, t) : r;
}

JST_EXPORT int renameat2(int fdir, const char *from, int tdir, const char *to, unsigned flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(renameat2)(fdir, from, tdir, to, flags);
    return b ? path_done(b, tdir, to, r, t) : r;
}

JST_EXPORT int linkat(int fdir, const char *from, int tdir, const char *to, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(linkat)(fdir, from, tdir, to, flags);
    return b ? path_done(b, tdir, to, r, t) : r;
}

JST_EXPORT int fchmodat(int dir, const char *path, mode_t mode, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fchmodat)(dir, path, mode, flags);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT int chown(const char *path, uid_t uid, gid_t gid)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(chown)(path, uid, gid);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int lchown(const char *path, uid_t uid, gid_t gid)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(lchown)(path, uid, gid);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int fchown(int fd, uid_t uid, gid_t gid)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fchown)(fd, uid, gid);
    if (b)
        fd_done(b, fd, r >= 0, t);
    return r;
}

JST_EXPORT int fchownat(int dir, const char *path, uid_t uid, gid_t gid, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(fchownat)(dir, path, uid, gid, flags);
    return b ? path_done(b, dir, path, r, t) : r;
}

JST_EXPORT int utime(const char *path, const struct utimbuf *times)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(utime)(path, times);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int utimes(const char *path, const struct timeval times[2])
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(utimes)(path, times);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int mkfifo(const char *path, mode_t mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(mkfifo)(path, mode);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT int mknod(const char *path, mode_t mode, dev_t dev)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(mknod)(path, mode, dev);
    return b ? path_done(b, AT_FDCWD, path, r, t) : r;
}

JST_EXPORT char *mkdtemp(char *name)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    char *r = JST_REAL(mkdtemp)(name);
    if (b)
        path_done(b, AT_FDCWD, name, r ? 0 : -1, t);
    return r;
}
