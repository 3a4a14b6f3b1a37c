/* io.c: the end of reads and writes where it is not the usual one (io.h). */
#include "io.h"

void jst_count(jst_block *b, unsigned slot, int fd, const jst_direction *d, uint64_t n,
               uint64_t ticks)
{
    if (JST_LIKELY(jst_is_mount(slot))) {
        uint64_t *cells = jst_slot_cells(b, slot);
        jst_add(&cells[d->ops], 1);
        jst_add(&cells[d->bytes], n);
        jst_add(&cells[d->ns], ticks);
        jst_add(&b->cells[d->size + jst_bucket(n)], 1);
        jst_file *f = jst_file_of(fd);
        if (JST_LIKELY(f != NULL))
            jst_file_moved(b, f, d->file, n, ticks);
    } else if (slot == JST_SLOT_STREAM) {
        jst_add(&b->cells[d->stream_ops], 1);
        jst_add(&b->cells[d->stream_bytes], n);
        jst_add(&b->cells[d->stream_ns], ticks);
    } else if (JST_LIKELY(n < JST_START_BYTES)) {
        return; /* much data at once starts a profile even when it is not counted */
    }
    if (JST_UNLIKELY(jst_is_lazy()))
        jst_moved(n);
}

void jst_moved_nothing(jst_block *b, int fd, const jst_direction *d, ssize_t r, uint64_t ticks)
{
    if (r < 0)
        jst_fail(b, jst_fd_slot(fd), errno);
    else
        jst_count(b, jst_fd_slot(fd), fd, d, 0, ticks);
}

void jst_read_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t ticks)
{
    unsigned slot = jst_fd_slot(fd);
    jst_count(b, slot, fd, &jst_posix_read, n, ticks);
    jst_access_read(b, slot, fd, n);
    if (JST_UNLIKELY(jst_read_began(fd, n)))
        jst_file_began(fd, buf, n);
}

void jst_wrote_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t ticks)
{
    unsigned slot = jst_fd_slot(fd);
    jst_count(b, slot, fd, &jst_posix_write, n, ticks);
    jst_access_wrote(b, slot, fd, n);
    if (JST_UNLIKELY(jst_access_began(fd, n)))
        jst_file_began(fd, buf, n);
}

void jst_read_at_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t at,
                         uint64_t ticks)
{
    unsigned slot = jst_fd_slot(fd);
    if (ticks != JST_COUNTED)
        jst_count(b, slot, fd, &jst_posix_read, n, ticks);
    jst_access_read_at(b, slot, fd, at, n);
    if (JST_UNLIKELY(at == 0))
        jst_file_began(fd, buf, n);
}

void jst_wrote_at_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t at,
                          uint64_t ticks)
{
    unsigned slot = jst_fd_slot(fd);
    if (ticks != JST_COUNTED)
        jst_count(b, slot, fd, &jst_posix_write, n, ticks);
    jst_access_wrote_at(b, slot, fd, at, n);
    if (JST_UNLIKELY(at == 0))
        jst_file_began(fd, buf, n);
}

void jst_append_done(jst_block *b, int fd, ssize_t r, uint64_t t)
{
    jst_print_done(b, fd, r, t);
    if (JST_LIKELY(r >= 0))
        jst_access_appended(jst_fd_slot(fd), fd, (uint64_t)r);
}

void jst_print_done(jst_block *b, int fd, ssize_t r, uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t);
    if (JST_LIKELY(r >= 0))
        jst_count(b, jst_fd_slot(fd), fd, &jst_posix_write, (uint64_t)r, ticks);
    else
        jst_fail(b, jst_fd_slot(fd), errno);
}
