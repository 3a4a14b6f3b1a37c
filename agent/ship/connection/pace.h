/* pace.h: when the next post is sent, so that nodes do not send at once. */
#ifndef JST_SHIP_PACE_H
#define JST_SHIP_PACE_H

#include "connection/net.h"

typedef struct jst_pace {
    int64_t interval_ns; /* as configured */
    int64_t after_ns;    /* requested by the receiver */
    uint64_t phase;      /* of this node: a fraction of 2^64 of the interval */
    int64_t away_ns;     /* since when the receiver does not accept posts; 0: it does */
    bool away;           /* it does not answer (else: it answers, and refuses) */
    size_t credit;       /* bytes for the next post */
    uint32_t ranges;     /* files in a post at most: fewer when it did not understand one */
} jst_pace;

void jst_pace_begin(jst_pace *p, int64_t interval_ns, const char *node);
/** When the next regular post is sent (CLOCK_BOOTTIME): at the node's phase of the interval. */
int64_t jst_pace_due(const jst_pace *p, int64_t now);
/** Processes the result of a post, and returns how long to wait before the next try; 0: it
 * succeeded. */
int64_t jst_pace_after(jst_pace *p, const jst_reply *r, const jst_answer *a, int64_t now);

#endif
