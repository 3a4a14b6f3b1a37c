/* canary.h: the core-speed probe (canary.c): called by the heartbeat only. */
#ifndef JST_CANARY_H
#define JST_CANARY_H

#include "block.h"

void jst_canary_open(void);
void jst_canary_sample(jst_block *b); /* at a boundary: steal time since the last */
/** CLOCK_REALTIME of the next run after now and before a slice boundary, 0: none (or off). */
uint64_t jst_canary_due(uint64_t now, uint64_t boundary);
/** Runs it if it is due and the boundary is not too near; block 0 gets the result. */
void jst_canary_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary);

#endif
