/* posix_io.c: read, write and their kin; copies from descriptor to descriptor. */
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "block.h"
#include "common.h"
#include "files/access.h"
#include "files/errors.h"
#include "files/io.h"
#include "files/mount.h"
#include "resolve.h"

ssize_t __read(int fd, void *buf, size_t n);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread64(int fd, void *buf, size_t n, off64_t at);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);
ssize_t __write(int fd, const void *buf, size_t n);
ssize_t __pwrite64(int fd, const void *buf, size_t n, off64_t at);

/* Where the first bytes lie; NULL: in several parts, or nowhere. r: of the call; where it failed the
 * vector may not be readable. */
static const void *first_part(const struct iovec *v, int n, ssize_t r)
{
    return r > 0 && n > 0 && v[0].iov_len >= 8 ? v[0].iov_base : NULL;
}

JST_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(read)(fd, buf, n);
    if (b)
        jst_read_done(b, fd, buf, r, t);
    return r;
}

JST_EXPORT ssize_t __read(int fd, void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__read)(fd, buf, n);
    if (b)
        jst_read_done(b, fd, buf, r, t);
    return r;
}

JST_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__read_chk)(fd, buf, n, room);
    if (b)
        jst_read_done(b, fd, buf, r, t);
    return r;
}

JST_EXPORT ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pread)(fd, buf, n, at);
    if (b)
        jst_read_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pread64)(fd, buf, n, at);
    if (b)
        jst_read_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t __pread64(int fd, void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pread64)(fd, buf, n, at);
    if (b)
        jst_read_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pread_chk)(fd, buf, n, at, room);
    if (b)
        jst_read_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pread64_chk)(fd, buf, n, at, room);
    if (b)
        jst_read_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(readv)(fd, v, n);
    if (b)
        jst_read_done(b, fd, first_part(v, n, r), r, t);
    return r;
}

JST_EXPORT ssize_t preadv(int fd, const struct iovec *v, int n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv)(fd, v, n, at);
    if (b)
        jst_read_at_done(b, fd, first_part(v, n, r), r, at, t);
    return r;
}

JST_EXPORT ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv64)(fd, v, n, at);
    if (b)
        jst_read_at_done(b, fd, first_part(v, n, r), r, at, t);
    return r;
}

/* Offset -1 stands for the file offset. */
static void read_flags_done(jst_block *b, int fd, const void *buf, ssize_t r, off_t at, uint64_t t)
{
    if (at == -1)
        jst_read_done(b, fd, buf, r, t);
    else
        jst_read_at_done(b, fd, buf, r, at, t);
}

JST_EXPORT ssize_t preadv2(int fd, const struct iovec *v, int n, off_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv2)(fd, v, n, at, flags);
    if (b)
        read_flags_done(b, fd, first_part(v, n, r), r, at, t);
    return r;
}

JST_EXPORT ssize_t preadv64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(preadv64v2)(fd, v, n, at, flags);
    if (b)
        read_flags_done(b, fd, first_part(v, n, r), r, at, t);
    return r;
}

JST_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(write)(fd, buf, n);
    if (b)
        jst_write_done(b, fd, buf, r, t);
    return r;
}

JST_EXPORT ssize_t __write(int fd, const void *buf, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__write)(fd, buf, n);
    if (b)
        jst_write_done(b, fd, buf, r, t);
    return r;
}

JST_EXPORT ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwrite)(fd, buf, n, at);
    if (b)
        jst_write_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwrite64)(fd, buf, n, at);
    if (b)
        jst_write_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t __pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(__pwrite64)(fd, buf, n, at);
    if (b)
        jst_write_at_done(b, fd, buf, r, at, t);
    return r;
}

JST_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(writev)(fd, v, n);
    if (b)
        jst_write_done(b, fd, first_part(v, n, r), r, t);
    return r;
}

JST_EXPORT ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev)(fd, v, n, at);
    if (b)
        jst_write_at_done(b, fd, first_part(v, n, r), r, at, t);
    return r;
}

JST_EXPORT ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev64)(fd, v, n, at);
    if (b)
        jst_write_at_done(b, fd, first_part(v, n, r), r, at, t);
    return r;
}

/* Offset -1 stands for the file offset; an appending write follows whatever was there. */
static void write_flags_done(jst_block *b, int fd, const void *buf, ssize_t r, off_t at, int flags,
                             uint64_t t)
{
    if (at == -1)
        jst_write_done(b, fd, buf, r, t);
    else if (flags & RWF_APPEND)
        jst_append_done(b, fd, r, t);
    else
        jst_write_at_done(b, fd, buf, r, at, t);
}

JST_EXPORT ssize_t pwritev2(int fd, const struct iovec *v, int n, off_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev2)(fd, v, n, at, flags);
    if (b)
        write_flags_done(b, fd, first_part(v, n, r), r, at, flags, t);
    return r;
}

JST_EXPORT ssize_t pwritev64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(pwritev64v2)(fd, v, n, at, flags);
    if (b)
        write_flags_done(b, fd, first_part(v, n, r), r, at, flags, t);
    return r;
}

/* The time of a copy is the writing side's: it is one call, and must not be counted twice. from, at:
 * where the copy came from and went, as the call left it; NULL: the file offset. */
static void copy_done(jst_block *b, int in, const off64_t *from, int out, const off64_t *at,
                      ssize_t r, uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t);
    if (r < 0) {
        jst_fail(b, jst_fd_slot(out), errno);
        return;
    }
    unsigned slot = jst_fd_slot(in);
    jst_count(b, slot, in, &jst_posix_read, (uint64_t)r, 0);
    if (from)
        jst_access_read_at(b, slot, in, (uint64_t)(*from - r), (uint64_t)r);
    else
        jst_access_read(b, slot, in, (uint64_t)r);
    slot = jst_fd_slot(out);
    jst_count(b, slot, out, &jst_posix_write, (uint64_t)r, ticks);
    if (at)
        jst_access_wrote_at(b, slot, out, (uint64_t)(*at - r), (uint64_t)r);
    else
        jst_access_wrote(b, slot, out, (uint64_t)r);
}

JST_EXPORT ssize_t sendfile(int out, int in, off_t *at, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(sendfile)(out, in, at, n);
    if (b)
        copy_done(b, in, at, out, NULL, r, t);
    return r;
}

JST_EXPORT ssize_t sendfile64(int out, int in, off64_t *at, size_t n)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(sendfile64)(out, in, at, n);
    if (b)
        copy_done(b, in, at, out, NULL, r, t);
    return r;
}

JST_EXPORT ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
                                   unsigned flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(copy_file_range)(in, in_at, out, out_at, n, flags);
    if (b)
        copy_done(b, in, in_at, out, out_at, r, t);
    return r;
}

JST_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
                          unsigned flags)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    ssize_t r = JST_REAL(splice)(in, in_at, out, out_at, n, flags);
    if (b)
        copy_done(b, in, in_at, out, out_at, r, t);
    return r;
}
