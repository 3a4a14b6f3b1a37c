/* memory_probe.h: measures the latency of main memory (memory_probe.c): called by the heartbeat
 * only. */
#ifndef JST_MEMORY_PROBE_H
#define JST_MEMORY_PROBE_H

#include "block.h"

void jst_memory_probe_open(void);
/** CLOCK_REALTIME of the next probe after now and before a slice boundary, 0: none (or off). */
uint64_t jst_memory_probe_due(uint64_t now, uint64_t boundary);
/** Probes if it is due and the boundary is not too near; block 0 gets the result. */
void jst_memory_probe_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary);

#endif
