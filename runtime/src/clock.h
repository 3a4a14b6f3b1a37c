/* clock.h: time stamps, and what they are worth in nanoseconds (clock.c). */
#ifndef JST_CLOCK_H
#define JST_CLOCK_H

#include <time.h>

#include "common.h"

extern uint32_t jst_no_tsc;  /* 1: the time-stamp counter cannot be used, ticks are nanoseconds;
                                2: no clock at all may be read, calls are only counted */
extern uint64_t jst_tick_ns; /* nanoseconds per tick, 32.32 */

static inline uint64_t jst_ticks(void)
{
#if defined(__x86_64__)
    if (JST_LIKELY(!jst_no_tsc))
        return __builtin_ia32_rdtsc();
#endif
    if (jst_no_tsc == 2)
        return 0;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void jst_clock_begin(void);     /* remember where ticks and nanoseconds stand */
void jst_clock_calibrate(void); /* ticks against CLOCK_MONOTONIC since jst_clock_begin */
void jst_clock_check(void);     /* may the time-stamp counter be trusted here? */
uint64_t jst_ticks_to_ns(uint64_t ticks);
void jst_clock_state(uint32_t *state, uint32_t *error_us);

static inline uint64_t jst_ns_to_ticks(uint64_t ns)
{
    return (uint64_t)(((unsigned __int128)ns << 32) / JST_LOAD(jst_tick_ns));
}

#endif
