/* clock.h: instants are nanoseconds of Unix time, as everywhere in jostle, since a signal must be
 * on and off at the same moment on every node. */
#ifndef JST_SIGNAL_CLOCK_H
#define JST_SIGNAL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define JST_SECOND INT64_C(1000000000)
#define JST_MS INT64_C(1000000)

static inline int64_t jst_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * JST_SECOND + t.tv_nsec;
}

/* When a signal is on: in [k*period + phase, k*period + phase + active) of Unix time for every k;
 * always, when the period is 0. */
struct jst_rhythm {
    int64_t period_ns;
    int64_t active_ns;
    int64_t phase_ns;
};

/* One stretch in which the signal is on; ends at INT64_MAX when it never goes off. */
struct jst_window {
    int64_t due_ns;
    int64_t end_ns;
};

/* The window that holds t, cut off before t, or else the next one. */
struct jst_window jst_window_at(const struct jst_rhythm *rhythm, int64_t t);

/* The first multiple of slice_ns that is at least ahead_ns after t. */
int64_t jst_slice_ahead(int64_t t, int64_t slice_ns, int64_t ahead_ns);

/* Waits for an instant. With busy the processor is kept occupied until 40 ms before (the silence
 * of a periodic signal is a busy-wait); else it sleeps. False when stop() became true before that. */
bool jst_wait_until(int64_t t, bool busy, bool (*stop)(void *), void *argument);

/* To be called after the first operation that followed a wait. */
void jst_wait_over(void);

#endif
