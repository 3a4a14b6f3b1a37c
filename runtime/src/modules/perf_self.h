/* perf_self.h: a thread's own count of instructions, read without a system call.
 *
 * The heartbeat opens the counter and maps its page (they share memory; the program's descriptors
 * are not touched); the thread reads page and counter as documented in the kernel's
 * perf_event_mmap_page. A read is a few nanoseconds on bare metal; where it is trapped (many
 * virtual machines) it costs microseconds, is measured, and not granted.
 *
 * It cannot fault: the slot is in memory that the kernel wipes in a forked child, where the page is
 * not mapped; a page stays mapped as long as its thread lives; the instruction runs only while the
 * kernel allows it (cap_user_rdpmc) and the counter is on (index). x86-64 only.
 */
#ifndef JST_PERF_SELF_H
#define JST_PERF_SELF_H

#include <linux/perf_event.h>

#include "common.h"

typedef struct jst_perf_slot {
    struct perf_event_mmap_page *_Atomic page; /* NULL: not granted, or no longer */
    _Atomic uint32_t tid;                      /* the thread that requested it; 0: free */
    int fd;                                    /* the heartbeat's, -1 none */
    void *mapped;                              /* as long as the thread lives */
    uint64_t gap;
} jst_perf_slot;

extern __thread jst_perf_slot *jst_tls_perf;
extern __thread uint32_t jst_tls_perf_tid; /* in a forked child the slot may be another's */

/** Requests the calling thread's counter. It begins to count at a slice boundary, if ever; false:
 *  it never will. Repeated requests are cheap. */
bool jst_perf_self_begin(void);

#if defined(__x86_64__)

#ifndef JST_RDPMC /* the test replaces this */
#define JST_RDPMC(counter) __builtin_ia32_rdpmc((int)(counter))
#endif

static inline uint64_t jst_perf_read_page(const volatile struct perf_event_mmap_page *page)
{
    for (int tries = 0; tries < 16; tries++) {
        uint32_t lock = page->lock;
        __asm__ volatile("" ::: "memory");
        uint32_t index = page->index;
        uint64_t count = (uint64_t)page->offset;
        if (!page->cap_user_rdpmc || index == 0)
            return 0;
        unsigned width = page->pmc_width;
        uint64_t now = (uint64_t)JST_RDPMC(index - 1);
        if (width > 0 && width < 64) /* the counter is signed and narrower than a word */
            now = (uint64_t)((int64_t)(now << (64 - width)) >> (64 - width));
        count += now;
        __asm__ volatile("" ::: "memory");
        if (page->lock == lock)
            return count;
    }
    return 0;
}

#endif

/** Instructions that the calling thread has completed in user mode since some instant; 0: not
 *  granted, or not now. Differences of two values that are not 0 are valid. */
static inline uint64_t jst_perf_self(void)
{
#if defined(__x86_64__)
    jst_perf_slot *slot = jst_tls_perf;
    if (JST_LIKELY(slot == NULL))
        return 0;
    const volatile struct perf_event_mmap_page *page =
        atomic_load_explicit(&slot->page, memory_order_acquire);
    if (page == NULL || atomic_load_explicit(&slot->tid, memory_order_relaxed) != jst_tls_perf_tid)
        return 0;
    return jst_perf_read_page(page);
#else
    return 0;
#endif
}

#endif
