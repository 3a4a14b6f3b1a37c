/* posix_io.c: read, write and their kin; copies from descriptor to descriptor. */
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../io.h"

ssize_t __read(int fd, void *buf, size_t n);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread64(int fd, void *buf, size_t n, off64_t at);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);
ssize_t __write(int fd, const void *buf, size_t n);
ssize_t __pwrite64(int fd, const void *buf, size_t n, off64_t at);

JST_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(read)(fd, buf, n);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t __read(int fd, void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__read)(fd, buf, n);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__read_chk)(fd, buf, n, room);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pread)(fd, buf, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pread64)(fd, buf, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t __pread64(int fd, void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pread64)(fd, buf, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pread_chk)(fd, buf, n, at, room);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pread64_chk)(fd, buf, n, at, room);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(readv)(fd, v, n);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t preadv(int fd, const struct iovec *v, int n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv)(fd, v, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv64)(fd, v, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t preadv2(int fd, const struct iovec *v, int n, off_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv2)(fd, v, n, at, flags);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t preadv64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv64v2)(fd, v, n, at, flags);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_read);
    return r;
}

JST_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(write)(fd, buf, n);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t __write(int fd, const void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__write)(fd, buf, n);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwrite)(fd, buf, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwrite64)(fd, buf, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t __pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pwrite64)(fd, buf, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(writev)(fd, v, n);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev)(fd, v, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev64)(fd, v, n, at);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t pwritev2(int fd, const struct iovec *v, int n, off_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev2)(fd, v, n, at, flags);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

JST_EXPORT ssize_t pwritev64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev64v2)(fd, v, n, at, flags);
    if (b)
        jst_io_done(b, fd, r, t, &jst_posix_write);
    return r;
}

/* The time of a copy is the writing side's: it is one call, and must not be counted twice. */
static void copy_done(jst_block *b, int in, int out, ssize_t r, uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t);
    if (r < 0) {
        jst_fail(b, jst_fd_place(out), errno);
        return;
    }
    jst_count(b, jst_fd_place(in), &jst_posix_read, (uint64_t)r, 0);
    jst_count(b, jst_fd_place(out), &jst_posix_write, (uint64_t)r, ticks);
}

JST_EXPORT ssize_t sendfile(int out, int in, off_t *at, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(sendfile)(out, in, at, n);
    if (b)
        copy_done(b, in, out, r, t);
    return r;
}

JST_EXPORT ssize_t sendfile64(int out, int in, off64_t *at, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(sendfile64)(out, in, at, n);
    if (b)
        copy_done(b, in, out, r, t);
    return r;
}

JST_EXPORT ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
                                   unsigned flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(copy_file_range)(in, in_at, out, out_at, n, flags);
    if (b)
        copy_done(b, in, out, r, t);
    return r;
}

JST_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
                          unsigned flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(splice)(in, in_at, out, out_at, n, flags);
    if (b)
        copy_done(b, in, out, r, t);
    return r;
}
