/* clock.c: windows of a rhythm, and waiting for an instant. */
#include "clock.h"

#include <errno.h>

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
}

struct jst_window jst_window_at(const struct jst_rhythm *rhythm, int64_t t)
{
    struct jst_window window = {t, INT64_MAX};
    if (!rhythm->period_ns)
        return window;
    int64_t begin =
        floor_div(t - rhythm->phase_ns, rhythm->period_ns) * rhythm->period_ns + rhythm->phase_ns;
    if (t >= begin + rhythm->active_ns)
        begin += rhythm->period_ns;
    window.due_ns = begin > t ? begin : t;
    window.end_ns = begin + rhythm->active_ns;
    return window;
}

int64_t jst_slice_ahead(int64_t t, int64_t slice_ns, int64_t ahead_ns)
{
    return -floor_div(-(t + ahead_ns), slice_ns) * slice_ns;
}

static void sleep_until(int64_t t)
{
    const struct timespec until = {t / JST_SECOND, t % JST_SECOND};
    /* An interruption is welcome: it is a signal, and the caller looks for it. */
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

bool jst_wait_until(int64_t t, bool busy, bool (*stop)(void *), void *argument)
{
    /* Slept through in pieces: a stop may come without a signal, and the clock may be set. */
    const int64_t piece = 20 * JST_MS, spin = 2 * JST_MS;
    for (;;) {
        int64_t now = jst_now();
        if (stop && stop(argument))
            return false;
        if (now >= t)
            return true;
        if (!busy && t - now > spin)
            sleep_until(t - now > spin + piece ? now + piece : t - spin);
        else
            for (int i = 0; i < 64 && jst_now() < t; i++)
                __asm__ volatile("" ::: "memory");
    }
}
