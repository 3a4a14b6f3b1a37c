/* perf.h: the counters of the processor (perf.c): all called by the heartbeat only. */
#ifndef JST_PERF_H
#define JST_PERF_H

#include "block.h"

void jst_perf_open(void); /* nothing is opened yet: short-lived processes have no cost */
/** CLOCK_REALTIME at which the heartbeat should also wake between slices, 0: no need. */
uint64_t jst_perf_due(void);
/** Reads, and opens or closes groups whose cost has become low or high. */
void jst_perf_tick(jst_block *b, uint64_t now_ns);
void jst_perf_sample(jst_block *b); /* reads */
/** The next note for the profile, or NULL. */
const char *jst_perf_missing(void);
/** What counting has cost the program's threads so far: part of self_cost_ns. */
uint64_t jst_perf_cost_ns(void);

#endif
