/* mpi.h: what the parts of libjostle that deal with MPI share.
 *
 *   mpi_host.c      finds the MPI in the process and the adapter for it
 *   mpi_account.c   counts and times every outermost call
 *   mpi_call_kinds.c          call sites: tokens for signatures, and the floor of each kind of call
 *   segment.c       where segments end
 *   segment_ring.c   what a segment was, into the ring, and from there into records
 *   peers.c         bytes per partner (JOSTLE_PEERS)
 *   all_in_mpi.c      since when all ranks of the node have been in MPI
 */
#ifndef JST_MPI_SHARED_H
#define JST_MPI_SHARED_H

#include "../include/jst_mpi.h"
#include "jst.h"

/* ---- mpi_account.c: what the adapter calls ---- */
bool jst_mpi_enter(jst_mpi_call *call);
void jst_mpi_leave(const jst_mpi_call *call);
void jst_mpi_count(const jst_mpi_call *call, unsigned klass, uint64_t bytes, uint32_t peer);
void jst_mpi_initialising(void);
void jst_mpi_initialised(uint32_t size, uint32_t rank, uint32_t thread_level, uint32_t appnum,
                         bool spawned);
void jst_mpi_finalising(void);
void jst_mpi_finalised(void);
bool jst_mpi_runs(void); /* between MPI_Init and MPI_Finalize, in this process */

extern __thread jst_mpi_outer jst_tls_outer;

/* ---- mpi_call_kinds.c ---- */

/* A kind of call: function, call site and size class. The same kind has the same hash on every
 * rank; the key is made of addresses and is good in this process only. */
typedef struct jst_site {
    _Atomic uint64_t key; /* 0: free */
    uint64_t calls;
    uint64_t floor;  /* running lower quartile of the duration, ticks, 8 bits after the point */
    uint64_t recent; /* calls when segment.c looked for epochs last */
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

#define JST_SITES 2048
extern jst_site jst_sites[JST_SITES];

jst_site *jst_site_new(uint64_t key, uintptr_t address, const char *func, unsigned klass,
                       uint64_t bytes);
/** Offset of an address in its module, and the module's base name (at most 31 characters). */
uint64_t jst_site_offset(uintptr_t address, const char **module);
uint32_t jst_hash_text(const char *text);

static inline uint64_t jst_site_key(uintptr_t address, const char *func, unsigned size_class)
{
    uint64_t k = (uint64_t)address * 0x9e3779b97f4a7c15u;
    k ^= (uint64_t)(uintptr_t)func * 0xc2b2ae3d27d4eb4fu;
    k = (k ^ k >> 29) + size_class;
    return k * 0xbf58476d1ce4e5b9u | 1;
}

static inline jst_site *jst_site_of(const jst_mpi_call *c, const char *func, uint64_t bytes)
{
    if (c->flags & JST_MPI_VARYING)
        bytes = 0;
    unsigned size_class = bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
    uint64_t key = jst_site_key(c->site, func, size_class);
    unsigned at = (unsigned)(key >> 53); /* 11 bits: JST_SITES */
    for (unsigned i = 0; i < 8; i++) {
        jst_site *s = &jst_sites[(at + i) % JST_SITES];
        uint64_t k = atomic_load_explicit(&s->key, memory_order_acquire);
        if (JST_LIKELY(k == key))
            return s;
        if (k == 0)
            break;
    }
    return jst_site_new(key, c->site, func, c->klass, bytes);
}

/* ---- segment.c ---- */
enum jst_rule { JST_RULE_EVERY, JST_RULE_COALESCED, JST_RULE_EPOCH, JST_RULE_RAW, JST_RULE_FINAL };

#define JST_BINS 32
#define JST_BIN_NS 10000000u /* the narrowest */

/* Waiting and off-CPU time of the open segment in bins of the wall clock. */
typedef struct jst_bins {
    uint64_t first;                         /* number of the first bin since the epoch */
    unsigned shift;                         /* width JST_BIN_NS << shift */
    unsigned at;                            /* the bin in which we are */
    uint64_t wait[JST_BINS], off[JST_BINS]; /* ticks */
} jst_bins;

/* What a segment was. */
typedef struct jst_segment {
    uint64_t start_ns, end_ns;
    enum jst_rule rule;
    unsigned level;
    jst_site *site;      /* of the delimiter, NULL none */
    uint64_t occurrence; /* of it, 0: does not matter */
    uint64_t globals;
    uint16_t sequence;
} jst_segment;

extern jst_block *jst_segment_owner;        /* block of the thread whose calls make the segments */
extern uint64_t jst_bin_begin, jst_bin_end; /* of the current bin, ticks */
extern jst_bins jst_bins_now;
extern jst_site *jst_epoch_site; /* NULL: no epochs */
extern uint64_t jst_epoch_mask;

static inline void jst_bin_add(uint64_t *bin, uint64_t ticks)
{
    JST_STORE(*bin, JST_LOAD(*bin) + ticks);
}

void jst_segments_begin(jst_block *b); /* MPI_Init was called */
void jst_segments_end(jst_block *b);   /* MPI_Finalize was called */
JST_COLD void jst_bins_roll(jst_block *b, uint64_t now);
void jst_bins_spread(uint64_t *to, uint64_t from, uint64_t until, uint64_t amount);
void jst_segment_global(jst_block *b, const jst_mpi_call *c, jst_site *s, uint64_t bytes,
                        uint64_t now);
JST_COLD void jst_segment_epoch(jst_block *b, jst_site *s, uint64_t now);

/* ---- segment_ring.c ---- */
void jst_features_begin(void); /* what the counters hold now is where the first segment begins */
void jst_features_new_part(void);
/** False: the ring is full; the segment goes on. */
bool jst_segment_put(const jst_segment *s, const jst_bins *bins);
uint64_t jst_segment_bytes(void); /* written so far */

/* ---- peers.c ---- */
void jst_peers_begin(uint32_t world_size);
void jst_peer_sent(uint32_t rank, uint64_t bytes);
void jst_peer_received(uint32_t rank, uint64_t room);

/* ---- all_in_mpi.c ---- */
void jst_together_begin(void); /* MPI_Init has ended */
/** Ticks up to now in which every rank of the node was in MPI, the calling one since begin; 0: one was
 *  not, or not known: only ranks that share cores are asked. */
JST_COLD uint64_t jst_together(uint64_t begin, uint64_t now);

/** Instructions of the calling thread outside MPI calls since this was asked last; 0 where not all of
 *  them were counted. */
uint64_t jst_gap_instructions(void);

static inline uint64_t jst_ns_to_ticks(uint64_t ns)
{
    return (uint64_t)(((unsigned __int128)ns << 32) / JST_LOAD(jst_tick_ns));
}

#endif
