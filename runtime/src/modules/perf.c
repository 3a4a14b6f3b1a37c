/* perf.c: reads the kernel's performance counters of the process, all its threads, once a slice.
 *
 * Two groups of events (perf_group.c): those of the processor (instructions, cycles, cache misses)
 * and the kernel's own (task clock, switches, migrations, page faults). This file decides which
 * events are available, when they are opened and which notes are written. Only the heartbeat calls
 * it.
 *
 * RATIONALE: the events of the processor have a cost for the program. Its counters are set again at
 * every switch of threads: a microsecond on bare metal, tens of them in a virtual machine that
 * traps it. So the cost of one switch is measured, the switches are counted, and the group is open
 * only while their product is a small share of the CPU time that the process uses.
 * perf_task_clock_ns is the CPU time during which they counted: instructions by task clock is a
 * rate even with pauses.
 */
#include <errno.h>
#include <sys/resource.h>

#include "block.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "modules.h"
#include "perf.h"
#include "perf_event.h"
#include "perf_group.h"
#include "perf_self_serve.h"
#include "profile/area.h"
#include "sys.h"
#include "text.h"

#if JST_WITH_PERF

#define NS UINT64_C(1000000000)
#define BEGIN_NS (NS / 4) /* after the heartbeat's start */
#define LOOK_NS (NS / 2)  /* and again, since starts are busy (MPI_Init) and slices long */
#define LOOKS 8
#define EVALUATE_NS (NS / 20) /* a shorter span gives no rate of switches */
#define OPEN_SHARE 500        /* opened where it costs less than a 500th of the CPU time, */
#define CLOSE_SHARE 200       /* closed where it costs more than a 200th */
#define DEAR_NS 10000         /* most of a switch with several events of the processor */
#define TOO_DEAR 1            /* in place of an error number */
#define ASKED 0x7fu

static uint64_t begin_ns; /* when to check again whether counting may begin, 0: at slices only */
static unsigned looks;    /* so often, */
static bool begun;
static uint64_t switch_cost_ns; /* of setting the processor's counters again */
static uint64_t cost_ns;
static bool said_expensive, said_too_many;
static struct {
    uint64_t at, switches, cpu;
} evaluated;
static char note[512];
static bool noted;

/* ---- notes in the profile ---- */

static void say_on(const char *text)
{
    jst_put_text(note + jst_strlen(note), note + sizeof note, text);
}

static void say(const char *a, const char *b)
{
    if (!noted)
        note[0] = 0;
    say_on(noted ? "; " : "perf: ");
    say_on(a);
    say_on(b);
    noted = true;
}

const char *jst_perf_missing(void)
{
    if (!noted)
        return NULL;
    noted = false;
    return note;
}

static const char *reason(int error)
{
    switch (error) {
    case -EACCES:
    case -EPERM:
        return "not permitted (kernel.perf_event_paranoid, or a container's filter)";
    case -ENOSYS:
        return "the kernel has no performance events";
    case -EMFILE:
    case -ENFILE:
    case -ENOMEM:
        return "no descriptor or memory was left for it";
    case TOO_DEAR:
        return "setting the processor's counters is slow on this machine";
    default:
        return "this machine does not count it";
    }
}

/* ---- probing: on the heartbeat itself ---- */

/* A filter of system calls may kill for one that it did not foresee. */
static bool is_filtered(void)
{
    JST_SCRATCH static char text[8192];
    const char *sign = "\nSeccomp:\t";
    if (jst_read_file("/proc/thread-self/status", text, sizeof text) <= 0)
        return true;
    for (const char *p = text; *p; p++) {
        size_t i = 0;
        while (sign[i] && p[i] == sign[i])
            i++;
        if (!sign[i])
            return p[i] == '2';
    }
    return false; /* a kernel without filters */
}

static void lacking(unsigned g, unsigned e, int error, int *said)
{
    if (error == *said) {
        say_on(", ");
        say_on(jst_event_kinds[g][e].name);
        return;
    }
    say(reason(error), ": ");
    say_on(jst_event_kinds[g][e].name);
    *said = error;
}

/* Opens one event of a group on the heartbeat itself: finds the flags that it needs. */
static int probe_event(unsigned g, unsigned e, int leader)
{
    jst_groups[g].flags[e] = g == JST_HARD ? JST_EVENT_USER_ONLY : 0;
    int fd = jst_group_event(g, e, 0, 0, leader);
    if ((fd == -EACCES || fd == -EPERM) && jst_event_kinds[g][e].in_user_too) {
        jst_groups[g].flags[e] = JST_EVENT_USER_ONLY;
        fd = jst_group_event(g, e, 0, 0, leader);
    }
    return fd;
}

/* Switching a group off and on sets the counters again, as a switch of threads does. */
static uint64_t measure_switch_cost(int leader)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        uint64_t from = jst_clock_ns(CLOCK_MONOTONIC);
        jst_event_switch(leader, false);
        jst_event_switch(leader, true);
        uint64_t took = jst_clock_ns(CLOCK_MONOTONIC) - from;
        best = took < best ? took : best;
    }
    return best;
}

/* Finds which events are available, and with what flags; they stay open in fds, as one group. Where
 * setting the counters is slow, only the first of the processor's is used. */
static void probe_group(unsigned g, int *fds)
{
    int leader = -1, said = 0;
    for (unsigned e = 0; e < JST_PER_GROUP; e++)
        fds[e] = -1;
    for (unsigned e = 0; e < JST_PER_GROUP && jst_event_kinds[g][e].name; e++) {
        fds[e] = probe_event(g, e, leader);
        if (fds[e] < 0) {
            lacking(g, e, fds[e], &said);
            continue;
        }
        uint64_t cost = g == JST_HARD ? measure_switch_cost(leader < 0 ? fds[e] : leader) : 0;
        if (leader >= 0 && cost > DEAR_NS && jst_cfg.perf != JST_PERF_ON) {
            lacking(g, e, TOO_DEAR, &said);
            jst_close(fds[e]);
            fds[e] = -1;
            continue;
        }
        switch_cost_ns = g == JST_HARD ? cost : switch_cost_ns;
        jst_groups[g].usable |= 1u << e;
        leader = leader < 0 ? fds[e] : leader;
    }
}

/* Some virtual machines open every counter and count nothing. */
static bool counts_nothing(int leader)
{
    uint64_t words[3 + JST_PER_GROUP];
    long n = jst_read(leader, words, sizeof words);
    return n < 32 || words[3] == 0;
}

static void probe(void)
{
    int fds[JST_PER_GROUP];
    int fd = jst_event_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
                            JST_EVENT_USER_ONLY | JST_EVENT_INHERIT | JST_EVENT_INHERIT_THREAD, 0,
                            0, -1);
    jst_inherit = fd >= 0 ? JST_EVENT_INHERIT | JST_EVENT_INHERIT_THREAD : 0;
    if (fd >= 0)
        jst_close(fd);
    probe_group(JST_SOFT, fds);
    jst_group_close_fds(fds);
    if (jst_cfg.perf == JST_PERF_OFF)
        return;
    probe_group(JST_HARD, fds);
    if (jst_group_leader(fds) >= 0) {
        if (counts_nothing(jst_group_leader(fds))) {
            say("the machine's counters can be opened and count nothing", "");
            jst_groups[JST_HARD].usable = 0;
        } else {
            jst_perf_self_probe(jst_group_leader(fds));
        }
    }
    jst_group_close_fds(fds);
    if (!jst_inherit && (jst_groups[JST_HARD].usable || jst_groups[JST_SOFT].usable))
        say("the kernel is older than 5.13: ",
            "threads are counted from the slice after their start");
}

/* ---- opening and reading ---- */

static void say_too_many(int error)
{
    if (error && !said_too_many)
        say("more threads than can be followed were there at the start; some are not counted: ",
            reason(error));
    said_too_many = said_too_many || error;
}

void jst_perf_sample(jst_block *b)
{
    for (unsigned g = 0; g < JST_GROUPS; g++)
        jst_group_read(g, b->cells);
}

/* ---- its cost ---- */

static void say_expensive(uint64_t switches, uint64_t span)
{
    char text[96], *p = text;
    if (said_expensive)
        return;
    said_expensive = true;
    p = jst_put_number(p, text + sizeof text, switches * NS / span);
    p = jst_put_text(p, text + sizeof text, " switches of threads a second at ");
    p = jst_put_number(p, text + sizeof text, switch_cost_ns);
    jst_put_text(p, text + sizeof text, " ns each");
    say("the processor's counters pause while they are too expensive: ", text);
}

/* Opens or closes the processor's group by what it cost, or would have cost, since last time. */
static void evaluate_cost(void)
{
    struct rusage u;
    if (begun && !jst_groups[JST_HARD].usable) /* no event has a cost, now or later */
        return;
    uint64_t now = jst_clock_ns(CLOCK_MONOTONIC);
    if (now - evaluated.at < EVALUATE_NS || jst_sys2(SYS_getrusage, RUSAGE_SELF, &u) < 0)
        return;
    uint64_t switches = (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
    uint64_t cpu = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS +
                   (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
    uint64_t span = now - evaluated.at, used = cpu - evaluated.cpu,
             more = switches - evaluated.switches;
    bool first = evaluated.at == 0;
    evaluated.at = now;
    evaluated.cpu = cpu;
    evaluated.switches = switches;
    if (first || !begun)
        return;
    uint64_t cost = more * switch_cost_ns, all = used > span ? used : span;
    bool forced = jst_cfg.perf == JST_PERF_ON;
    if (jst_groups[JST_HARD].open) {
        cost_ns += cost;
        if (cost < all / CLOSE_SHARE || forced)
            return;
        jst_group_close(JST_HARD);
        jst_perf_self_close();
        say_expensive(more, span);
    } else if (cost < all / OPEN_SHARE || forced) {
        say_too_many(jst_group_open(JST_HARD));
    } else {
        say_expensive(more, span);
    }
}

uint64_t jst_perf_cost_ns(void)
{
    return cost_ns;
}

/* ---- when ---- */

void jst_perf_open(void)
{
    for (unsigned g = 0; g < JST_GROUPS; g++)
        jst_group_forget(g);
    jst_perf_self_forget();
    noted = said_expensive = said_too_many = begun = false;
    looks = 0;
    if (jst_now_life.part == 0) /* not the parent's, in a forked child */
        cost_ns = 0;
    jst_a.head.perf_granted &= ~ASKED;
    begin_ns = jst_clock_ns(CLOCK_REALTIME) + BEGIN_NS;
    evaluated.at = 0;
    evaluate_cost();
}

uint64_t jst_perf_due(void)
{
    return begin_ns;
}

static void begin(void)
{
    begun = true;
    jst_a.head.perf_asked |= jst_cfg.perf == JST_PERF_OFF ? ASKED & ~7u : ASKED;
    if (jst_cfg.perf != JST_PERF_ON && is_filtered()) {
        say("nothing is counted, since a filter of system calls might kill the process ",
            "(JOSTLE_PERF=on counts nevertheless)");
        return;
    }
    probe();
    if (jst_groups[JST_SOFT].usable)
        say_too_many(jst_group_open(JST_SOFT));
}

void jst_perf_tick(jst_block *b, uint64_t now)
{
    if (!begun && now >= begin_ns)
        begin();
    for (unsigned g = 0; g < JST_GROUPS && !jst_inherit; g++)
        if (jst_groups[g].open)
            say_too_many(jst_group_look(g, b->cells));
    jst_perf_sample(b);
    evaluate_cost();
    if (jst_groups[JST_HARD].open)
        jst_perf_self_serve();
    if (begun)
        begin_ns = jst_groups[JST_HARD].usable && !jst_groups[JST_HARD].open && looks++ < LOOKS
                       ? now + LOOK_NS
                       : 0;
}

void jst_module_perf_close(void)
{
    jst_group_close(JST_HARD);
    jst_group_close(JST_SOFT);
    jst_perf_self_close();
}

#else

void jst_perf_open(void) {}

uint64_t jst_perf_due(void)
{
    return 0;
}

void jst_perf_tick(jst_block *b, uint64_t now)
{
    (void)b, (void)now;
}

void jst_perf_sample(jst_block *b)
{
    (void)b;
}

void jst_module_perf_close(void) {}

const char *jst_perf_missing(void)
{
    return NULL;
}

uint64_t jst_perf_cost_ns(void)
{
    return 0;
}

#endif

const char *jst_module_perf_open(jst_block *b)
{
    (void)b;
    jst_perf_open();
    return NULL;
}

void jst_module_perf_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion)
{
    if (occasion == JST_AT_BOUNDARY)
        jst_perf_tick(b, now_ns);
    else if (occasion == JST_AT_END)
        jst_perf_sample(b);
}

const char *jst_module_perf_missing(bool ending)
{
    (void)ending;
    return jst_perf_missing();
}
