/* pace.c: decides when posts are sent. All times are CLOCK_BOOTTIME: a step of the clock neither
 * hurries nor stops posts. */
#include "connection/pace.h"

#include <string.h>

#define CREDIT_LEAST (64u << 10)
#define AWAY_MOST (120 * JST_NS) /* nodes return within so long after their receiver does */
#define BUSY_MOST (600 * JST_NS)
#define REFUSED_NS (60 * JST_NS)

void jst_pace_begin(jst_pace *p, int64_t interval_ns, const char *node)
{
    memset(p, 0, sizeof *p);
    p->interval_ns = interval_ns;
    p->phase = jst_ship_hash(node, strlen(node), 2);
    p->credit = JST_SHIP_POST;
    p->ranges = JST_SHIP_RANGES;
}

static int64_t period(const jst_pace *p)
{
    return p->after_ns > p->interval_ns ? p->after_ns : p->interval_ns;
}

/* value * fraction / 2^64, in 32 bits of the fraction. */
static int64_t share(int64_t value, uint64_t fraction)
{
    return (int64_t)((unsigned __int128)(uint64_t)value * (fraction >> 32) >> 32);
}

int64_t jst_pace_due(const jst_pace *p, int64_t now)
{
    int64_t n = period(p), phase = share(n, p->phase);
    int64_t due = now - now % n + phase;
    return due > now ? due : due + n;
}

/* At random in the window, which is half as long as the receiver has been away: so the time between
 * tries grows exponentially, and the nodes that all lost it at once do not all return at once. */
static int64_t spread(const jst_pace *p, int64_t now, int64_t least)
{
    int64_t window = (now - p->away_ns) / 2;
    window = window < p->interval_ns ? p->interval_ns : window;
    window = window > AWAY_MOST ? AWAY_MOST : window;
    int64_t wait = share(window, jst_ship_random());
    return wait > least ? wait : least;
}

int64_t jst_pace_after(jst_pace *p, const jst_reply *r, const jst_answer *a, int64_t now)
{
    if (r->outcome == JST_STORED) {
        p->after_ns = a->after_ns;
        p->credit = a->credit < CREDIT_LEAST    ? CREDIT_LEAST
                    : a->credit > JST_SHIP_POST ? JST_SHIP_POST
                                                : (size_t)a->credit;
        p->ranges = p->ranges * 2 < JST_SHIP_RANGES ? p->ranges * 2 : JST_SHIP_RANGES;
        p->away_ns = 0;
        p->away = false;
        return 0;
    }
    if (!p->away_ns)
        p->away_ns = now;
    p->away = r->outcome == JST_AWAY;
    int64_t least = p->interval_ns / 4;
    switch (r->outcome) {
    case JST_BUSY: {
        int64_t wait = r->retry_ns > BUSY_MOST ? BUSY_MOST : r->retry_ns;
        return wait + spread(p, now, least) / (wait ? 4 : 1);
    }
    case JST_REFUSED:
        return REFUSED_NS + share(REFUSED_NS / 4, jst_ship_random());
    case JST_BAD: /* the same without delay, of half as many files */
        p->ranges = p->ranges > 1 ? p->ranges / 2 : 1;
        return least;
    default:
        return spread(p, now, least);
    }
}
