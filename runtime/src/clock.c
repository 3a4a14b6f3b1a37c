/* clock.c: ticks of the time-stamp counter against the kernel's clocks. */
#include <sys/timex.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "clock.h"
#include "common.h"
#include "sys.h"
#include "text.h"

#if defined(__x86_64__)
uint32_t jst_tick_source = JST_TICKS_COUNTER;
#else
uint32_t jst_tick_source = JST_TICKS_CLOCK;
#endif
uint64_t jst_tick_ns = (uint64_t)1 << 32;

static uint64_t ticks0, ns0;

uint64_t jst_slow_ticks(void)
{
    struct timespec t;
    if (jst_tick_source == JST_TICKS_NONE)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Reads both clocks at one instant: the thread may lose its core between the two readings, so the
 * closest of a few pairs is taken. */
static void read_pair(uint64_t *ns, uint64_t *ticks)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 4 && best > 3000 /* about 1 us */; i++) {
        uint64_t before = jst_ticks(), now = jst_clock_ns(CLOCK_MONOTONIC), after = jst_ticks();
        if (after - before < best) {
            best = after - before;
            *ns = now;
            *ticks = before + best / 2;
        }
    }
}

void jst_clock_begin(void)
{
    read_pair(&ns0, &ticks0);
}

/* The counter is usable for time stamps only if its rate never changes. cpuid traps in a virtual
 * machine, so this is checked once per profile and not in processes that never get one. */
void jst_clock_check(void)
{
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
    char source[32];
    /* The kernel does not use an unstable counter, whatever the processor reports. */
    long n = jst_read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                           source, sizeof source);
    bool unstable = n > 0 && (source[0] == 'h' || source[0] == 'a'); /* hpet, acpi_pm */
    if (jst_tick_source == JST_TICKS_COUNTER && (!invariant || unstable)) {
        jst_tick_source = JST_TICKS_CLOCK;
        jst_clock_begin();
        jst_tick_ns = (uint64_t)1 << 32;
    }
#endif
}

void jst_clock_calibrate(void)
{
    if (jst_tick_source != JST_TICKS_COUNTER)
        return;
    uint64_t ns = 0, ticks = 0;
    read_pair(&ns, &ticks);
    ns -= ns0;
    ticks -= ticks0;
    if (ns < 1000 || ticks == 0)
        return;
    JST_STORE(jst_tick_ns, (uint64_t)(((unsigned __int128)ns << 32) / ticks));
}

uint64_t jst_ticks_to_ns(uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * JST_LOAD(jst_tick_ns)) >> 32);
}

void jst_clock_state(uint32_t *state, uint32_t *error_us)
{
    struct timex t;
    jst_zero(&t, sizeof t);
    long r = jst_sys1(SYS_adjtimex, &t);
    *state = r < 0 ? 5 /* TIME_ERROR */ : (uint32_t)r;
    *error_us = r < 0 ? UINT32_MAX : (uint32_t)t.maxerror;
}
