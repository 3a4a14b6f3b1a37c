/* segment.h: decides where segments end (segment.c). */
#ifndef JST_SEGMENT_H
#define JST_SEGMENT_H

#include "../../include/jst_mpi.h"
#include "block.h"
#include "common.h"
#include "mpi_call_kinds.h"

#define JST_BINS 32

/* Waiting and off-CPU time of the open segment in bins of the wall clock. */
typedef struct jst_bins {
    uint64_t first;                         /* number of the first bin since the epoch */
    unsigned shift;                         /* width JST_BIN_NS << shift */
    unsigned at;                            /* the current bin */
    uint64_t wait[JST_BINS], off[JST_BINS]; /* ticks */
} jst_bins;

/* The description of a segment. */
typedef struct jst_segment {
    uint64_t start_ns, end_ns;
    enum jst_segment_rule rule;
    unsigned level;
    jst_site *site;      /* of the delimiter, NULL none */
    uint64_t occurrence; /* of it, 0: does not matter */
    uint64_t globals;
    uint16_t sequence;
} jst_segment;

extern JST_HIDDEN jst_block
    *jst_segment_owner; /* block of the thread whose calls make the segments */
extern JST_HIDDEN bool
    jst_segments_of_process; /* CPU time is that of all threads (collective libraries) */
extern JST_HIDDEN uint64_t jst_bin_begin, jst_bin_end; /* of the current bin, ticks */
extern JST_HIDDEN jst_bins jst_bins_now;
extern JST_HIDDEN jst_site *jst_epoch_site; /* NULL: no epochs */
extern JST_HIDDEN uint64_t jst_epoch_mask;

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

bool jst_segments_hold(void); /* no thread writes to the ring until release; false: one does */
void jst_segments_let_go(void);
void jst_segments_child(void);    /* in a forked child, and in a sandbox: no segments any more */
void jst_segments_old_part(void); /* before and after the file changes */
void jst_segments_new_part(void);

#endif
