/* trusted_dirs.c: finds directories that have all their files on one mount (trusted_dirs.h). */
#include "trusted_dirs.h"
#include "common.h"
#include "mount.h"

#define DIRECTORIES 64
#define FIRST 2 /* opens that are checked before any is trusted */
#define EVERY                                                                                      \
    16 /* after these, one in so many, unless files that were trusted are seen to be there */

/* 48 bits of the key, and the slot. A directory that was found wrong keeps its entry; one with the
 * same entry is not trusted. */
#define SLOT 0x3fu
#define MISLED 0x40u
#define KEY_SHIFT 16

static _Atomic uint64_t directories[DIRECTORIES];
static _Atomic uint8_t asked[DIRECTORIES]; /* NOTE: concurrent threads may lose one */

unsigned jst_trust_source(uint64_t key)
{
    return (unsigned)(key >> KEY_SHIFT) % DIRECTORIES;
}

static inline bool is_of(uint64_t entry, uint64_t key)
{
    return (entry ^ key) >> KEY_SHIFT == 0;
}

unsigned jst_trust_ask(uint64_t key)
{
    unsigned source = jst_trust_source(key);
    uint64_t entry = atomic_load_explicit(&directories[source], memory_order_relaxed);
    if (!is_of(entry, key) || (entry & MISLED))
        return 0;
    unsigned times = atomic_load_explicit(&asked[source], memory_order_relaxed) + 1u;
    bool look = times < FIRST || times == FIRST + EVERY;
    atomic_store_explicit(&asked[source], (uint8_t)(times == FIRST + EVERY ? FIRST : times),
                          memory_order_relaxed);
    return look ? 0 : (unsigned)(entry & SLOT);
}

void jst_trust_tell(uint64_t key, unsigned slot)
{
    unsigned source = jst_trust_source(key);
    uint64_t entry = atomic_load_explicit(&directories[source], memory_order_relaxed);
    bool good = slot - 1 < JST_SLOT_OTHER - 1;
    if (is_of(entry, key)) {
        if (!good || slot != (entry & SLOT))
            jst_trust_misled(source);
    } else if (good && !(entry & MISLED)) {
        uint64_t new = key >> KEY_SHIFT << KEY_SHIFT | slot;
        atomic_store_explicit(&asked[source], 0, memory_order_relaxed);
        atomic_compare_exchange_strong_explicit(&directories[source], &entry, new,
                                                memory_order_relaxed, memory_order_relaxed);
    }
}

void jst_trust_misled(unsigned source)
{
    atomic_fetch_or_explicit(&directories[source % DIRECTORIES], MISLED, memory_order_relaxed);
}

void jst_trust_confirmed(unsigned source)
{
    source %= DIRECTORIES;
    if (atomic_load_explicit(&asked[source], memory_order_relaxed) > FIRST)
        atomic_store_explicit(&asked[source], FIRST, memory_order_relaxed);
}

void jst_trust_forget(void)
{
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        uint64_t entry = atomic_load_explicit(&directories[i], memory_order_relaxed);
        if (entry && !(entry & MISLED)) /* in the heartbeat, while others update it: not a store */
            atomic_compare_exchange_strong_explicit(&directories[i], &entry, 0,
                                                    memory_order_relaxed, memory_order_relaxed);
    }
}
