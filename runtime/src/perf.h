/* perf.h: between the heartbeat and the counters of modules/perf.c, and of modules/papi.c. */
#ifndef JST_PERF_H
#define JST_PERF_H

#include "jst.h"

/* ---- modules/perf.c: all called by the heartbeat only ---- */
void jst_perf_open(void); /* nothing is opened yet: short profiles pay nothing */
/** CLOCK_REALTIME at which the heartbeat should wake beside its slices, 0: no need. */
uint64_t jst_perf_due(void);
void jst_perf_tick(jst_block *b);   /* reads, and opens or closes what has become cheap or dear */
void jst_perf_sample(jst_block *b); /* reads */
void jst_perf_close(void);          /* the heartbeat stops, and another may follow */
/** What is to be said in the profile and has not been said yet, or NULL. */
const char *jst_perf_missing(void);
/** What counting has cost the program's threads so far: part of self_cost_ns. */
uint64_t jst_perf_cost_ns(void);

/* ---- modules/papi.c: called by the thread that calls MPI ---- */
void jst_papi_begin(void); /* MPI_Init has returned; the calling thread is counted */
/** Reads the events unless that was less than a slice ago. Only the thread of jst_papi_begin reads;
 *  for others this is one comparison. b: that thread's block. */
void jst_papi_sample(jst_block *b);
void jst_papi_boundary(jst_block *b); /* a segment ends: the same unless that was 10 ms ago */
void jst_papi_finish(jst_block *b);   /* the same, however long ago, and for the last time */
/** As jst_perf_missing: the heartbeat asks. ending: MPI_Init, if it was not called, never will be. */
const char *jst_papi_missing(bool ending);

#endif
