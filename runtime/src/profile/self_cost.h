/* self_cost.h: what jostle itself costs the process (self_cost.c). */
#ifndef JST_SELF_COST_H
#define JST_SELF_COST_H

/** Measures what one time stamp costs. */
void jst_self_cost_begin(void);
/** In the heartbeat: sets the self_* metrics in block 0, totals since the start. */
void jst_self_cost_account(void);

#endif
