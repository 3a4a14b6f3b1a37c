/* access.h: where on a descriptor each write begins, which distinguishes rewriting from appending.
 *
 * One record per descriptor, of four words, follows its position. A write that begins where the one
 * before it ended costs one addition; everything else is out of line. The kernel is queried only
 * once per descriptor whether it appends, and not before the first write that is not in order.
 *
 * What is approximate, on purpose:
 *  - The words belong to a number, not to an open file: what a dup, or another process that shares
 *    the file after fork, does to the offset is not seen. A new number starts at 0; when it is
 *    closed while the one from which it was made is open, that one takes over what it wrote.
 *  - Two threads that write to one descriptor at the same instant may lose an addition, or see it
 *    twice; the next lseek or pwrite gives the position again.
 *  - Reads move the offset only while it is not at the end of the last write; writes likewise that
 *    of reads (read_order.h).
 *  - Asynchronous writes are assumed to follow each other.
 *  - A descriptor that is never closed (the end of the process, a raw system call) closes no file.
 */
#ifndef JST_ACCESS_H
#define JST_ACCESS_H

#include "block.h"
#include "common.h"
#include "mount.h"

typedef struct jst_access jst_access;

#define JST_ACCESS_ASKED (UINT64_C(1) << 63)     /* the kernel was queried whether it appends */
#define JST_ACCESS_APPENDS (UINT64_C(1) << 62)   /* it does */
#define JST_ACCESS_AWAY (UINT64_C(1) << 61)      /* offset counts */
#define JST_ACCESS_TWINNED (UINT64_C(1) << 60)   /* other numbers were made from it */
#define JST_ACCESS_READ_AWAY (UINT64_C(1) << 59) /* read_offset counts (read_order.h) */
#define JST_ACCESS_BYTES (JST_ACCESS_READ_AWAY - 1)

/** A write of n bytes that does not begin where the last one ended, or leaves the file offset
 *  behind for the first time. stays: it did not move the file offset (pwrite and similar calls). */
__attribute__((noinline)) void jst_access_elsewhere(jst_block *b, unsigned slot, int fd,
                                                    uint64_t at, uint64_t n, bool stays);
/** Called when a descriptor is closed or refers to another file from now on. Returns the bytes
 *  that were written to the old file; 0 if none were, or if the descriptor was a duplicate of
 *  one that is still open. */
uint64_t jst_access_take(int fd);
/** `to`, a number that was just taken, is now a duplicate of fd. */
JST_COLD void jst_access_twin(int fd, int to);
/** Returns the descriptor that fd was duplicated from if it still refers to the same file, else -1. */
JST_COLD int jst_access_source(int fd);
/** In a forked child: forgets what the parent wrote. used: number of descriptors ever seen. */
void jst_access_child(uint32_t used);
/** O_APPEND may have changed. */
void jst_access_flags_changed(int fd);
/** The file offset is now `at`. asked_only: the call only queried it, so writes still follow each
 *  other. */
void jst_access_sought(int fd, uint64_t at, bool asked_only);

/** n bytes were written at the file offset. */
static inline void jst_access_wrote(jst_block *b, unsigned slot, int fd, uint64_t n)
{
    if (JST_UNLIKELY(!jst_is_mount(slot) || (unsigned)fd >= JST_FDS))
        return;
    jst_access *a = &jst_descriptors[fd].access;
    uint64_t before = JST_LOAD(a->before);
    if (before & JST_ACCESS_READ_AWAY)
        jst_add(&jst_descriptors[fd].read_offset, n);
    if (JST_LIKELY(!(before & JST_ACCESS_AWAY)))
        jst_add(&a->run, n);
    else
        jst_access_elsewhere(b, slot, fd, JST_LOAD(a->offset), n, false);
}

/** Where the last write on a descriptor ended. */
static inline uint64_t jst_access_end(const jst_access *a)
{
    return JST_LOAD(a->origin) + JST_LOAD(a->run);
}

/** n bytes were written at an offset that the call named. */
static inline void jst_access_wrote_at(jst_block *b, unsigned slot, int fd, uint64_t at, uint64_t n)
{
    if (JST_UNLIKELY(!jst_is_mount(slot) || (unsigned)fd >= JST_FDS))
        return;
    jst_access *a = &jst_descriptors[fd].access;
    if (JST_LIKELY(jst_access_end(a) == at && (JST_LOAD(a->before) & JST_ACCESS_AWAY)))
        jst_add(&a->run, n);
    else
        jst_access_elsewhere(b, slot, fd, at, n, true);
}

/** Is the file offset where the last write ended? */
JST_INLINE bool jst_writes_follow(const jst_descriptor *k)
{
    return JST_LIKELY(!(JST_LOAD(k->access.before) & JST_ACCESS_AWAY));
}

/** n bytes were written where the last write ended. */
JST_INLINE void jst_write_follows(jst_descriptor *k, uint64_t n)
{
    if (JST_UNLIKELY(JST_LOAD(k->access.before) & JST_ACCESS_READ_AWAY))
        jst_add(&k->read_offset, n);
    jst_add(&k->access.run, n);
}

/** n bytes were written at an offset that the call named: where the last such write ended, or where it began,
 *  for the counters of the mount. false: another case, nothing was done. */
JST_INLINE bool jst_write_at_follows(uint64_t *cells, jst_descriptor *k, uint64_t at, uint64_t n)
{
    struct jst_access *a = &k->access;
    uint64_t before = JST_LOAD(a->before), origin = JST_LOAD(a->origin), run = JST_LOAD(a->run);
    const uint64_t known = JST_ACCESS_ASKED | JST_ACCESS_AWAY; /* and it does not append */
    if (at == origin + run && (before & JST_ACCESS_AWAY)) {
        jst_add(&a->run, n);
        return true;
    }
    if (JST_UNLIKELY(at != origin || before >> 61 != known >> 61 || run == 0))
        return false;
    jst_add(&cells[JST_CELL_ACCESS_BACK_OPS], 1);
    jst_add(&cells[JST_CELL_ACCESS_BACK_BYTES], run);
    jst_add(&a->before, run);
    JST_STORE(a->run, n);
    return true;
}

/** n bytes were written at the end of what was written, wherever the file offset is. */
static inline void jst_access_appended(unsigned slot, int fd, uint64_t n)
{
    if (jst_is_mount(slot) && (unsigned)fd < JST_FDS)
        jst_add(&jst_descriptors[fd].access.run, n);
}

/** Were the last n bytes that were written the first of the file? */
static inline bool jst_access_began(int fd, uint64_t n)
{
    if ((unsigned)fd >= JST_FDS)
        return false;
    const jst_access *a = &jst_descriptors[fd].access;
    return JST_UNLIKELY(JST_LOAD(a->run) == n) && JST_LOAD(a->origin) == 0;
}

/** Bytes that have been written to a descriptor. */
static inline uint64_t jst_access_bytes(int fd)
{
    if ((unsigned)fd >= JST_FDS)
        return 0;
    const jst_access *a = &jst_descriptors[fd].access;
    return JST_LOAD(a->run) + (JST_LOAD(a->before) & JST_ACCESS_BYTES);
}

/** A descriptor that held `bytes` of writes has been closed. */
static inline void jst_access_closed(jst_block *b, unsigned slot, uint64_t bytes)
{
    if (bytes && jst_is_mount(slot)) {
        uint64_t *cells = jst_slot_cells(b, slot);
        jst_add(&cells[JST_CELL_ACCESS_FILE_OPS], 1);
        jst_add(&cells[JST_CELL_ACCESS_FILE_BYTES], bytes);
    }
}

#endif
