/* self_cost.h: jostle's own cost in the process (self_cost.c). */
#ifndef JST_SELF_COST_H
#define JST_SELF_COST_H

/** Measures the cost of one time stamp. */
void jst_self_cost_begin(void);
/** In the heartbeat: sets the self_* metrics in block 0, totals since the start. */
void jst_self_cost_account(void);

#endif
