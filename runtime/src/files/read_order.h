/* read_order.h: where on a descriptor each read begins, which distinguishes reading in order from
 * jumps.
 *
 * The counterpart of access.h, which lists what is approximate. A run is what is read in order
 * after a jump. A jump is of one of four kinds, and its run is counted when the next jump or the
 * close ends it:
 *  - a return begins where one of the last four runs began: these bytes are read again;
 *  - a regular one is as far from the begin of the run before as jumps before it (three distances are
 *    remembered), or as the next one;
 *  - an irregular one is none of these, and goes ahead or back;
 *  - one that continues where one of the last runs ended (streams in turn, a header between) is no
 *    jump: its run is read in order. So is the first run of a descriptor. Another jump between two
 *    irregular ones is regular only by chance: it counts as irregular.
 * The first eight irregular jumps of a descriptor wait. If one of their runs has at least half of their
 * bytes, it is data that was read in order after a header: it does not count. If there are no more
 * jumps until the descriptor is closed, the others do not either: they led to this run. A read that
 * begins where the one before it ended, as nearly all do, costs one addition.
 */
#ifndef JST_READ_ORDER_H
#define JST_READ_ORDER_H

#include "block.h"
#include "common.h"
#include "files/access.h"
#include "mount.h"

#define JST_RUNS 4    /* runs, and */
#define JST_STRIDES 3 /* distances that are remembered */

/* How a run began. From JST_READ_AHEAD on: an irregular jump. */
enum jst_read_kind {
    JST_READ_FIRST,
    JST_READ_GOES_ON,
    JST_READ_RETURN,
    JST_READ_REGULAR,
    JST_READ_AHEAD,
    JST_READ_BACK
};

typedef struct jst_read_order {
    uint64_t origin; /* where the last read ended, less run, modulo 2^64 */
    uint64_t run;    /* bytes read in order since the last jump */
    uint64_t begins[JST_RUNS], ends[JST_RUNS]; /* of the runs before, in turn */
    uint64_t strides[JST_STRIDES];             /* from begin to begin, each once, in turn */
    uint64_t waiting, longest; /* bytes of all runs that wait, and of the longest of them */
    uint8_t ahead, back;       /* irregular jumps that wait; 0xff: none waits any more */
    uint8_t kind, previous;    /* enum jst_read_kind of the current run and the one before */
    uint8_t jumps, distances;  /* how many so far; the next place, and whether all are taken */
} __attribute__((aligned(128))) jst_read_order;

extern JST_HIDDEN jst_read_order jst_read_orders[JST_FDS];

/** A read of n bytes at an offset that is not where the last one ended, or that leaves the file offset
 *  behind for the first time. stays: it did not move the file offset (pread and similar calls). */
__attribute__((noinline)) void jst_read_elsewhere(jst_block *b, unsigned slot, int fd, uint64_t at,
                                                  uint64_t n, bool stays);
/** The descriptor is about to be closed: counts its last run. Reads by a duplicate are added to the
 *  original: some libraries (NumPy) make one for every call. */
void jst_read_ends(jst_block *b, unsigned slot, int fd);
/** `to` is now a duplicate of fd (jst_access_twin). */
JST_COLD void jst_read_twin(int fd, int to);
/** The file offset is now `at` (jst_access_sought). */
void jst_read_sought(int fd, uint64_t at, bool asked_only);
/** The descriptor refers to another file from now on. */
void jst_read_forget(int fd);

/** Was nothing moved by this number since it refers to its file, and is it no duplicate? */
static inline bool jst_nothing_moved(int fd)
{
    const jst_descriptor *k = jst_descriptor_of(fd);
    if (JST_UNLIKELY((unsigned)fd >= JST_FDS))
        return false;
    const jst_read_order *o = &jst_read_orders[fd];
    return !(JST_LOAD(k->access.origin) | JST_LOAD(k->access.run) | JST_LOAD(k->access.before) |
             k->twin_of | JST_LOAD(o->origin) | JST_LOAD(o->run) | JST_LOAD(o->jumps));
}

/** n bytes were read at the file offset. */
static inline void jst_access_read(jst_block *b, unsigned slot, int fd, uint64_t n)
{
    if (JST_UNLIKELY(!jst_is_mount(slot) || (unsigned)fd >= JST_FDS))
        return;
    jst_descriptor *d = &jst_descriptors[fd];
    uint64_t before = JST_LOAD(d->access.before);
    if (before & JST_ACCESS_AWAY)
        jst_add(&d->access.offset, n);
    if (JST_LIKELY(!(before & JST_ACCESS_READ_AWAY)))
        jst_add(&jst_read_orders[fd].run, n);
    else
        jst_read_elsewhere(b, slot, fd, JST_LOAD(d->read_offset), n, false);
}

/** Where the last read on a descriptor ended. */
static inline uint64_t jst_read_end(const jst_read_order *o)
{
    return JST_LOAD(o->origin) + JST_LOAD(o->run);
}

/** Were the last n bytes that were read the first of the file? */
static inline bool jst_read_began(int fd, uint64_t n)
{
    if ((unsigned)fd >= JST_FDS)
        return false;
    const jst_read_order *o = &jst_read_orders[fd];
    return JST_UNLIKELY(JST_PEEK(uint64_t, o->run) == n) && JST_LOAD(o->origin) == 0;
}

/** n bytes were read at an offset that the call named. */
static inline void jst_access_read_at(jst_block *b, unsigned slot, int fd, uint64_t at, uint64_t n)
{
    if (JST_UNLIKELY(!jst_is_mount(slot) || (unsigned)fd >= JST_FDS))
        return;
    jst_read_order *o = &jst_read_orders[fd];
    if (JST_LIKELY(jst_read_end(o) == at &&
                   (JST_LOAD(jst_descriptors[fd].access.before) & JST_ACCESS_READ_AWAY)))
        jst_add(&o->run, n);
    else
        jst_read_elsewhere(b, slot, fd, at, n, true);
}

/** Is the file offset where the last read ended? */
JST_INLINE bool jst_reads_follow(const jst_descriptor *k)
{
    return JST_LIKELY(!(JST_LOAD(k->access.before) & JST_ACCESS_READ_AWAY));
}

/** n bytes were read where the last read ended. */
JST_INLINE void jst_read_follows(jst_descriptor *k, int fd, uint64_t n)
{
    if (JST_UNLIKELY(JST_LOAD(k->access.before) & JST_ACCESS_AWAY))
        jst_add(&k->access.offset, n);
    jst_add(&jst_read_orders[fd].run, n);
}

/** n bytes were read at an offset that the call named: where the last such read ended, or once more
 *  where it began, for the counters of the mount. false: another case, nothing was done. */
JST_INLINE bool jst_read_at_follows(uint64_t *cells, const jst_descriptor *k, int fd, uint64_t at,
                                    uint64_t n)
{
    jst_read_order *o = &jst_read_orders[fd];
    JST_KEEP(o);
    uint64_t origin = JST_LOAD(o->origin), run = JST_LOAD(o->run);
    if (JST_UNLIKELY(!(JST_LOAD(k->access.before) & JST_ACCESS_READ_AWAY)))
        return false;
    if (at == origin + run) {
        jst_add(&o->run, n);
        return true;
    }
    if (at != origin || JST_LOAD(o->kind) != JST_READ_RETURN || run == 0)
        return false;
    jst_add(&cells[JST_CELL_ACCESS_READ_AGAIN_OPS], 1);
    jst_add(&cells[JST_CELL_ACCESS_READ_AGAIN_BYTES], run);
    JST_STORE(o->run, n);
    JST_STORE(o->previous, JST_READ_RETURN);
    return true;
}

#endif
