/* clock.c: windows of a rhythm, and waiting for an instant. */
#include "clock.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* ---- waiting -------------------------------------------------------------------------------- */
/* As in the kernel's header, which cannot be included together with that of the libc. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
    uint32_t utility_least, utility_most;
};

static bool prompt;
static uint64_t usual_ns; /* the scheduler's slices before it asked for short ones */

static void set_slices(uint64_t ns, uint64_t *before)
{
    struct attributes a = {0};

    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) != 0 || a.policy != SCHED_OTHER)
        return;
    if (before)
        *before = a.runtime;
    a.size = sizeof a;
    a.runtime = ns;
    (void)syscall(SYS_sched_setattr, 0, &a, 0);
}

/* RATIONALE: on a busy machine a process that has spun has used up its share of the processor, and
 * waits for milliseconds at its boundary. So it sleeps in the last 40 ms except for half a
 * millisecond, and asks the scheduler for short slices (Linux 6.12; without effect elsewhere),
 * which it gets sooner: 98 % of bursts began within 5 ms instead of 64 % at a load of ten on two
 * cores. This is no higher priority, and it is undone after the first operation. */
static void be_prompt(void)
{
    if (!prompt)
        set_slices(100000, &usual_ns);
    prompt = true;
}

void jst_wait_over(void)
{
    if (prompt)
        set_slices(usual_ns, NULL);
    prompt = false;
}

static void sleep_until(int64_t t)
{
    const struct timespec until = {t / JST_SECOND, t % JST_SECOND};
    /* An interruption ends the wait: it is a signal, for which the caller looks. */
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

bool jst_wait_until(int64_t t, bool busy, bool (*stop)(void *), void *argument)
{
    /* Sleeps in pieces: a stop may come without a signal, and the clock may be set. */
    const int64_t piece = 20 * JST_MS, rest = 40 * JST_MS, spin = JST_MS / 2;
    for (;;) {
        int64_t now = jst_now();
        if (now >= t)
            return true;
        /* NOTE: not asked in the last 40 ms: it may look for messages, and an MPI that finds none
         * gives the processor away, which costs milliseconds on a busy machine. */
        if (t - now > rest && stop && stop(argument))
            return false;
        if (t - now <= rest)
            be_prompt();
        if (t - now > rest && !busy)
            sleep_until(t - now > rest + piece ? now + piece : t - rest);
        else if (t - now <= rest && t - now > spin)
            sleep_until(t - spin);
        else
            for (int i = 0; i < 64 && jst_now() < t; i++)
                __asm__ volatile("" ::: "memory");
    }
}
