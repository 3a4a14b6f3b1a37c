/* clock.h: time stamps, and their conversion to nanoseconds (clock.c). */
#ifndef JST_CLOCK_H
#define JST_CLOCK_H

#include <time.h>

#include "common.h"

enum jst_tick_source {
    JST_TICKS_NONE,    /* no clock may be read: calls are only counted */
    JST_TICKS_COUNTER, /* the time-stamp counter */
    JST_TICKS_CLOCK    /* the counter cannot be used: ticks are nanoseconds */
};

extern JST_HIDDEN uint32_t jst_tick_source;
extern JST_HIDDEN uint64_t jst_tick_ns; /* nanoseconds per tick, 32.32 */

uint64_t jst_slow_ticks(void); /* without the time-stamp counter */

JST_INLINE bool jst_ticks_are_slow(void)
{
#if defined(__x86_64__)
    return jst_tick_source != JST_TICKS_COUNTER;
#else
    return true;
#endif
}

JST_INLINE uint64_t jst_ticks(void)
{
#if defined(__x86_64__)
    if (JST_LIKELY(!jst_ticks_are_slow()))
        return __builtin_ia32_rdtsc();
#endif
    return jst_slow_ticks();
}

void jst_clock_begin(void);     /* remember the current ticks and nanoseconds */
void jst_clock_calibrate(void); /* ticks against CLOCK_MONOTONIC since jst_clock_begin */
void jst_clock_check(void);     /* is the time-stamp counter reliable here? */
uint64_t jst_ticks_to_ns(uint64_t ticks);
void jst_clock_state(uint32_t *state, uint32_t *error_us);

static inline uint64_t jst_ns_to_ticks(uint64_t ns)
{
    return (uint64_t)(((unsigned __int128)ns << 32) / JST_LOAD(jst_tick_ns));
}

#endif
