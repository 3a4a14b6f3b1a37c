/* posix_io.c: wraps read, write and similar calls; copies from descriptor to descriptor. */
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "block.h"
#include "common.h"
#include "files/access.h"
#include "files/errors.h"
#include "files/io.h"
#include "files/mount.h"
#include "symbols/resolve.h"

ssize_t __read(int fd, void *buf, size_t n);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread64(int fd, void *buf, size_t n, off64_t at);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);
ssize_t __write(int fd, const void *buf, size_t n);
ssize_t __pwrite64(int fd, const void *buf, size_t n, off64_t at);

/* Where the first bytes are; NULL: in several parts, or nowhere. r: of the call; where it failed
 * the vector may not be readable. */
static const void *first_part(const struct iovec *v, int n, ssize_t r)
{
    return r > 0 && n > 0 && v[0].iov_len >= 8 ? v[0].iov_base : NULL;
}

/* Offset -1 means the file offset. */
static void read_flags_done(jst_block *b, int fd, const void *buf, ssize_t r, off_t at, uint64_t t)
{
    if (at == -1)
        jst_read_done(b, fd, buf, r, t);
    else
        jst_read_at_done(b, fd, buf, r, at, t);
}

/* Offset -1 means the file offset; an appending write follows the end of the file. */
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

/* The time of a copy is the writing side's: it is one call, and must not be counted twice. from,
 * at: offsets of source and target after the call; NULL: the file offset. */
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

#include "generated/posix_io.inc"
