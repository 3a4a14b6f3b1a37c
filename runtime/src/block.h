/* block.h: the counters of a thread. The path of every counted call begins here, inline.
 *
 * Upward calls: jst_enter_slow is in core.c, which knows this header. It is the slow path, taken by
 * the first call of a thread, of a forked child, or of a process that has not started its profile;
 * a pointer in its place would cost every call. */
#ifndef JST_BLOCK_H
#define JST_BLOCK_H

#include "common.h"
#include "profile/profile_layout.h"

#define JST_BLOCKS 24        /* blocks in the file; more threads than that use memory */
#define JST_MORE_BLOCKS 8192 /* blocks in memory, reserved only when needed */

/* A page that the kernel wipes in a forked child (MADV_WIPEONFORK): mask is all ones as long as
 * this is the process that set it. One AND with the thread's block pointer, and one test,
 * distinguish "first call of this thread", "first call after fork" and "switched off" from the
 * usual case. */
typedef struct jst_wipe_page {
    uintptr_t mask;
    uint8_t gap[JST_LARGEST_PAGE - sizeof(uintptr_t)];
} jst_wipe_page;

extern JST_HIDDEN jst_wipe_page jst_wipe;
extern JST_HIDDEN __thread jst_block *jst_tls_block;
extern JST_HIDDEN __thread uint32_t jst_tls_vfork; /* this thread runs in a vfork child */

jst_block *jst_enter_slow(void);

/** The calling thread's block, or NULL when nothing is to be counted. */
static inline jst_block *jst_enter(void)
{
    jst_block *b = (jst_block *)((uintptr_t)jst_tls_block & jst_wipe.mask);
    return JST_LIKELY(b != NULL) ? b : jst_enter_slow();
}

/* One instruction: a signal handler that counts in between cannot lose an update. */
static inline void jst_add(uint64_t *cell, uint64_t n)
{
#if defined(__x86_64__)
    __asm__ volatile("addq %1, %0" : "+m"(*cell) : "er"(n) : "cc");
#else
    atomic_fetch_add_explicit((_Atomic uint64_t *)cell, n, memory_order_relaxed);
#endif
}

/** Bucket of a histogram for n > 0. */
static inline unsigned jst_bucket_of_some(uint64_t n)
{
    unsigned bits = 63 - (unsigned)__builtin_clzll(n);
    return (bits < JST_HIST_BUCKETS - 2 ? bits : JST_HIST_BUCKETS - 2) + 1;
}

static inline unsigned jst_bucket(uint64_t n)
{
    return n ? jst_bucket_of_some(n) : 0;
}

jst_block *jst_block_at(uint32_t i);
uint64_t jst_sum_cell(unsigned cell);
extern JST_HIDDEN _Atomic uint32_t jst_blocks; /* handed out so far, block 0 included */
void jst_blocks_to_head(void);
extern JST_HIDDEN jst_block *_Atomic jst_more; /* blocks in memory, NULL until needed */

#define JST_MARK_MOVED 0xffffffffu /* a state mark: this profile belongs to no process any more */

#endif
