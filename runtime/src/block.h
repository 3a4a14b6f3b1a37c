/* block.h: the counters of a thread. The path of every counted call begins here, inline.
 *
 * Upward calls: jst_enter_slow is in core.c, which knows this header. It is the slow way out of the
 * inline path, taken by the first call of a thread, of a forked child, or of a process that has not
 * started its profile; a pointer in its place would cost every call. */
#ifndef JST_BLOCK_H
#define JST_BLOCK_H

#include "common.h"
#include "profile_layout.h"

#define JST_BLOCKS 24        /* blocks in the file; more threads than that use memory */
#define JST_MORE_BLOCKS 8192 /* blocks in memory, reserved only when needed */

/* One thread's counters. Single writer; grows for ever; the heartbeat only reads. Block 0 is the
 * heartbeat's own (os and self metrics). The header's words are the thread's own too: */
typedef struct jst_block {
    _Atomic uint32_t tid; /* owner, 0 = never used */
    uint32_t mark; /* state mark: the state timer's cell while a call is in progress, else 0 */
    uint64_t gap;
    uint64_t since;      /* ticks when the marked call began */
    uint64_t signature;  /* sum of token hashes since the thread came up (segment.c) */
    uint64_t kinds;      /* set of tokens since the segment began */
    uint64_t cpu_ticks;  /* when the thread's CPU clock was read last, ticks */
    uint64_t cpu_ns;     /* and what it said */
    uint64_t call_ticks; /* time in MPI calls since then */
    uint64_t cells[JST_CELL_COUNT];
} __attribute__((aligned(128))) jst_block;

_Static_assert(offsetof(jst_block, cells) == 64, "a block's header");
_Static_assert(sizeof(jst_block) <= 2 * JST_PAGE, "memory per thread");

/* A page that the kernel wipes in a forked child (MADV_WIPEONFORK): mask is all ones as long as
 * this is the process that set it. One AND with the thread's block pointer, and one test, tell
 * "first call of this thread", "first call after fork" and "switched off" from the usual case. */
typedef struct jst_wipe_page {
    uintptr_t mask;
    uint8_t gap[JST_PAGE - sizeof(uintptr_t)];
} jst_wipe_page;

extern jst_wipe_page jst_wipe;
extern __thread jst_block *jst_tls_block;
extern __thread uint32_t jst_tls_vfork; /* this thread runs in a vfork child */

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

static inline unsigned jst_bucket(uint64_t n)
{
    unsigned bits = n ? 64 - (unsigned)__builtin_clzll(n) : 0;
    return bits < JST_HIST_BUCKETS ? bits : JST_HIST_BUCKETS - 1;
}

jst_block *jst_block_at(uint32_t i);
uint64_t jst_sum_cell(unsigned cell);
extern _Atomic uint32_t jst_blocks; /* handed out so far, block 0 included */
void jst_blocks_to_head(void);
extern jst_block *_Atomic jst_more; /* blocks in memory, NULL until needed */

#define JST_MARK_MOVED 0xffffffffu /* a state mark: this profile is no process's any more */

#endif
