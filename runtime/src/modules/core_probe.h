/* core_probe.h: the core-speed probe (core_probe.c): called by the heartbeat only. */
#ifndef JST_CORE_PROBE_H
#define JST_CORE_PROBE_H

#include "block.h"

void jst_core_probe_open(void);
void jst_core_probe_sample(jst_block *b); /* at a boundary: steal time since the last */
/** CLOCK_REALTIME of the next run after now and before a slice boundary, 0: none (or off). */
uint64_t jst_core_probe_due(uint64_t now, uint64_t boundary);
/** Runs it if it is due and the boundary is not too near; block 0 gets the result. */
void jst_core_probe_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary);

#endif
