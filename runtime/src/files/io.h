/* io.h: the parts of the wrappers of posix, stdio and aio before and after the real call.
 *
 * The shape of every wrapper:
 *     jst_block *b = jst_enter();
 *     uint64_t t = jst_begin(b);
 *     RESULT r = JST_REAL(name)(...);
 *     if (b)
 *         jst_..._done(b, ..., t);
 *     return r;
 * Nothing here may change errno, which is set by the real call.
 */
#ifndef JST_IO_H
#define JST_IO_H

#include <errno.h>
#include <sys/types.h>

#include "access.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "core.h"
#include "errors.h"
#include "file.h"
#include "mount.h"
#include "process/left.h"
#include "read_order.h"

#include "../../include/jst_frame.h"

/* State marks: a call in progress is marked in the thread's block, so that the heartbeat can count
 * its time in the slice in which it passes. Inside an MPI call the MPI's mark is kept. Calls that
 * never return: left.h. */
JST_INLINE uint64_t jst_mark_io(jst_block *b)
{
    uint64_t t = jst_ticks();
    if (JST_UNLIKELY(t >= JST_PEEK(uint64_t, jst_start_due)))
        jst_due();
    if (JST_LIKELY(b->mark == 0) || jst_end_mark_before(b, t)) {
        JST_STORE(b->since, t);
        JST_STORE(b->mark, JST_CELL_STATE_IO_NS);
    }
    return t;
}

/** Ticks since t, and the end of the state. NOTE: first unmarked, then added: the heartbeat, which
 *  adds time in progress, may then see too little for a moment, never too much. */
JST_INLINE uint64_t jst_elapsed(jst_block *b, uint64_t t)
{
    uint64_t ticks = jst_ticks() - t;
    if (b->mark == JST_CELL_STATE_IO_NS) {
        __asm__ volatile("" ::: "memory");
        JST_STORE(b->mark, 0);
        __asm__ volatile("" ::: "memory");
        jst_add(&b->cells[JST_CELL_STATE_IO_NS], ticks);
    }
    return ticks;
}

JST_INLINE uint64_t jst_begin(jst_block *b)
{
    return b ? jst_mark_io(b) : 0;
}

/* The frame that can be left is the wrapper's, even where the functions above are not inlined. */
#define jst_mark_io(block) (jst_frame(), jst_mark_io(block))
#define jst_begin(block) (jst_frame(), jst_begin(block))

/* Offsets of one direction's counters in a slot, and of its histogram. */
typedef struct jst_direction {
    unsigned ops, bytes, ns, size;                /* mount cells; size is absolute */
    unsigned file;                                /* in jst_file: calls, bytes and ticks follow */
    unsigned stream_ops, stream_bytes, stream_ns; /* absolute */
} jst_direction;

static const jst_direction jst_posix_read = {
    JST_CELL_POSIX_READ_OPS,    JST_CELL_POSIX_READ_BYTES, JST_CELL_POSIX_READ_NS,
    JST_CELL_POSIX_READ_SIZE,   offsetof(jst_file, reads), JST_CELL_STREAM_READ_OPS,
    JST_CELL_STREAM_READ_BYTES, JST_CELL_STREAM_READ_NS,
};
static const jst_direction jst_posix_write = {
    JST_CELL_POSIX_WRITE_OPS,    JST_CELL_POSIX_WRITE_BYTES, JST_CELL_POSIX_WRITE_NS,
    JST_CELL_POSIX_WRITE_SIZE,   offsetof(jst_file, writes), JST_CELL_STREAM_WRITE_OPS,
    JST_CELL_STREAM_WRITE_BYTES, JST_CELL_STREAM_WRITE_NS,
};
static const jst_direction jst_stdio_read = {
    JST_CELL_STDIO_READ_OPS,    JST_CELL_STDIO_READ_BYTES, JST_CELL_STDIO_READ_NS,
    JST_CELL_STDIO_READ_SIZE,   offsetof(jst_file, reads), JST_CELL_STREAM_READ_OPS,
    JST_CELL_STREAM_READ_BYTES, JST_CELL_STREAM_READ_NS,
};
static const jst_direction jst_stdio_write = {
    JST_CELL_STDIO_WRITE_OPS,    JST_CELL_STDIO_WRITE_BYTES, JST_CELL_STDIO_WRITE_NS,
    JST_CELL_STDIO_WRITE_SIZE,   offsetof(jst_file, writes), JST_CELL_STREAM_WRITE_OPS,
    JST_CELL_STREAM_WRITE_BYTES, JST_CELL_STREAM_WRITE_NS,
};

#define JST_COUNTED UINT64_MAX /* for ticks: all has been counted but its place in the file */

/** Counts a successful transfer of n bytes that took `ticks` (0: not timed) by a descriptor at a slot (io.c). */
void jst_count(jst_block *b, unsigned slot, int fd, const jst_direction *d, uint64_t n,
               uint64_t ticks);

/** The same in the usual case: n is not 0, the descriptor k is on a mount, and its file was first
 *  used by this thread. Returns the counters of the mount; NULL: another case, nothing was
 *  counted. */
JST_INLINE uint64_t *jst_count_usual(jst_block *b, const jst_descriptor *k, const jst_direction *d,
                                     uint64_t n, uint64_t ticks)
{
    unsigned mount = atomic_load_explicit(&k->slot, memory_order_relaxed) - 1u;
    unsigned place = JST_LOAD(k->file) - 1u;
    if (JST_UNLIKELY(mount >= JST_MOUNT_SLOTS || place >= JST_FILES))
        return NULL;
    jst_file *f = &jst_a.files[place];
    JST_KEEP(f);
    if (JST_UNLIKELY(JST_PEEK(uint64_t, f->owner) != (uintptr_t)b))
        return NULL;
    uint64_t *cells = b->cells + mount * JST_MOUNT_STRIDE;
    uint64_t *words = &f->opens + (d->file - offsetof(jst_file, opens)) / 8;
    jst_add(&cells[d->ops], 1);
    jst_add(&cells[d->bytes], n);
    jst_add(&cells[d->ns], ticks);
    jst_add(&b->cells[d->size + jst_bucket_of_some(n)], 1);
    jst_add(&words[0], 1);
    jst_add(&words[1], n);
    jst_add(&words[2], ticks);
    if (JST_UNLIKELY(jst_is_lazy()))
        jst_moved(n);
    return cells;
}

/** A transfer that moved nothing: r is 0, or -1 with errno (io.c). */
void jst_moved_nothing(jst_block *b, int fd, const jst_direction *d, ssize_t r, uint64_t ticks);
/* Transfers of n bytes, in any case (io.c). buf: where the bytes are; NULL: not known. */
void jst_read_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t ticks);
void jst_wrote_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t ticks);
void jst_read_at_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t at,
                         uint64_t ticks);
void jst_wrote_at_unusual(jst_block *b, int fd, const void *buf, uint64_t n, uint64_t at,
                          uint64_t ticks);

/** End of a read at the file offset. */
JST_INLINE void jst_read_done(jst_block *b, int fd, const void *buf, ssize_t r, uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t), n = (uint64_t)r;
    if (JST_UNLIKELY(r <= 0)) {
        jst_moved_nothing(b, fd, &jst_posix_read, r, ticks);
        return;
    }
    jst_descriptor *k = jst_descriptor_of(fd);
    if (JST_UNLIKELY(!jst_reads_follow(k) || !jst_count_usual(b, k, &jst_posix_read, n, ticks))) {
        jst_read_unusual(b, fd, buf, n, ticks);
        return;
    }
    jst_read_follows(k, fd, n);
    if (JST_UNLIKELY(jst_read_began(fd, n)))
        jst_file_began(fd, buf, n);
}

/** End of a write at the file offset. */
JST_INLINE void jst_write_done(jst_block *b, int fd, const void *buf, ssize_t r, uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t), n = (uint64_t)r;
    if (JST_UNLIKELY(r <= 0)) {
        jst_moved_nothing(b, fd, &jst_posix_write, r, ticks);
        return;
    }
    jst_descriptor *k = jst_descriptor_of(fd);
    if (JST_UNLIKELY(!jst_writes_follow(k) || !jst_count_usual(b, k, &jst_posix_write, n, ticks))) {
        jst_wrote_unusual(b, fd, buf, n, ticks);
        return;
    }
    jst_write_follows(k, n);
    if (JST_UNLIKELY(JST_PEEK(uint64_t, k->access.run) == n) && JST_LOAD(k->access.origin) == 0)
        jst_file_began(fd, buf, n);
}

/** End of a read at an offset of its own. */
JST_INLINE void jst_read_at_done(jst_block *b, int fd, const void *buf, ssize_t r, off_t at,
                                 uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t), n = (uint64_t)r;
    if (JST_UNLIKELY(r <= 0)) {
        jst_moved_nothing(b, fd, &jst_posix_read, r, ticks);
        return;
    }
    jst_descriptor *k = jst_descriptor_of(fd);
    uint64_t *cells = jst_count_usual(b, k, &jst_posix_read, n, ticks);
    if (JST_UNLIKELY(!cells || !jst_read_at_follows(cells, k, fd, (uint64_t)at, n)))
        jst_read_at_unusual(b, fd, buf, n, (uint64_t)at, cells ? JST_COUNTED : ticks);
}

/** End of a write at an offset of its own. */
JST_INLINE void jst_write_at_done(jst_block *b, int fd, const void *buf, ssize_t r, off_t at,
                                  uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t), n = (uint64_t)r;
    if (JST_UNLIKELY(r <= 0)) {
        jst_moved_nothing(b, fd, &jst_posix_write, r, ticks);
        return;
    }
    jst_descriptor *k = jst_descriptor_of(fd);
    uint64_t *cells = jst_count_usual(b, k, &jst_posix_write, n, ticks);
    if (JST_UNLIKELY(!cells || !jst_write_at_follows(cells, k, (uint64_t)at, n)))
        jst_wrote_at_unusual(b, fd, buf, n, (uint64_t)at, cells ? JST_COUNTED : ticks);
}

/** End of a write that appends to the file and does not move the file offset. */
void jst_append_done(jst_block *b, int fd, ssize_t r, uint64_t t);
/** End of a write whose offset in the file is not known. */
void jst_print_done(jst_block *b, int fd, ssize_t r, uint64_t t);

/** One call of a counted and timed kind (open, close, seek, sync, meta) at a slot, and the ticks that
 *  it took. ns_cell 0 is a real cell only for posix_open_ops, which is never a time: 0 means "not
 *  timed". */
static inline void jst_event_took(jst_block *b, unsigned slot, unsigned ops_cell, unsigned ns_cell,
                                  uint64_t ticks)
{
    if (jst_is_mount(slot)) {
        uint64_t *cells = jst_slot_cells(b, slot);
        jst_add(&cells[ops_cell], 1);
        if (ns_cell)
            jst_add(&cells[ns_cell], ticks);
    }
}

/** The same, for a call that began at t. */
static inline void jst_event(jst_block *b, unsigned slot, unsigned ops_cell, unsigned ns_cell,
                             uint64_t t)
{
    jst_event_took(b, slot, ops_cell, ns_cell, t ? jst_elapsed(b, t) : 0);
}

/** The same, for a call on a descriptor that stays open. */
static inline void jst_fd_event(jst_block *b, unsigned slot, int fd, unsigned ops_cell,
                                unsigned ns_cell, uint64_t t)
{
    uint64_t ticks = t ? jst_elapsed(b, t) : 0;
    jst_event_took(b, slot, ops_cell, ns_cell, ticks);
    jst_file_called(b, slot, fd, ops_cell, ticks);
}

/** The same, for the call that closed it. file: from jst_file_leave. */
static inline void jst_closed(jst_block *b, unsigned slot, unsigned file, unsigned ops_cell,
                              unsigned ns_cell, uint64_t t)
{
    uint64_t ticks = jst_elapsed(b, t);
    jst_event_took(b, slot, ops_cell, ns_cell, ticks);
    if (file)
        jst_file_left(b, file, ticks);
}

#endif
