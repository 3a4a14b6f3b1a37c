/* mpi_call_kinds.h: kinds of MPI calls: tokens for signatures, and the usual time of each
 * (mpi_call_kinds.c). */
#ifndef JST_MPI_CALL_KINDS_H
#define JST_MPI_CALL_KINDS_H

#include "../../include/jst_mpi.h"
#include "common.h"

/* A kind of call: function, call site and size class. The same kind has the same hash on every
 * rank; the key is made of addresses and is valid in this process only. */
typedef struct jst_site {
    _Atomic uint64_t key; /* 0: free */
    uint64_t calls;
    uint64_t usual;  /* running lower quartile of the duration, ticks, 8 bits after the point */
    uint64_t recent; /* calls when segment.c last searched epochs */
    uint64_t ends;   /* global collectives that it ended */
    uint64_t recent_ends;
    uint64_t bytes; /* of the first such call */
    uintptr_t address;
    const char *func;
    uint32_t hash, func_hash;
    uint16_t token; /* number in this file's dictionary, 0: not written yet */
    uint8_t klass;
    uint8_t bit; /* in the set of kinds */
} jst_site;

#define JST_SITES_BITS 11
#define JST_SITES (1 << JST_SITES_BITS)
extern JST_HIDDEN jst_site jst_sites[JST_SITES];

/** A kind that is not in its first place in the table: it is new, or that place has another one. */
jst_site *jst_site_search(uint64_t key, uintptr_t address, const char *func, unsigned klass,
                          uint64_t bytes);
/** Offset of an address in its module, and the module's base name (at most 31 characters). */
uint64_t jst_site_offset(uintptr_t address, const char **module);
uint32_t jst_hash_text(const char *text);

/* The product spreads addresses over all bits, and keeps near ones far apart (the golden ratio). */
static inline uint64_t jst_site_key(uintptr_t address, const char *func, unsigned size_class)
{
    return (address * UINT64_C(0x9e3779b97f4a7c15) + size_class * UINT64_C(0xc2b2ae3d27d4eb4f) +
            (uintptr_t)func) |
           1;
}

static inline jst_site *jst_site_of(const jst_mpi_call *c, const char *func, uint64_t bytes)
{
    if (c->flags & JST_MPI_VARYING)
        bytes = 0;
    unsigned size_class = bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
    uint64_t key = jst_site_key(c->site, func, size_class);
    jst_site *s = &jst_sites[key >> (64 - JST_SITES_BITS)];
    JST_KEEP(s);
    if (JST_LIKELY(atomic_load_explicit(&s->key, memory_order_acquire) == key))
        return s;
    return jst_site_search(key, c->site, func, c->klass, bytes);
}

#endif
