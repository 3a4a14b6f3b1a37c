/* perf.c: the kernel's performance counters of the process, all its threads, read once a slice.
 *
 * Two groups of events: those of the processor (instructions, cycles, cache misses) and the
 * kernel's own (task clock, switches, migrations, page faults). Each thread that lives when a group
 * is opened is followed, and hands the events on to the threads that it makes (inherit_thread: not
 * to forked children, which have profiles of their own). Only the heartbeat comes here.
 *
 * RATIONALE: the events of the processor are not free for the program. Its counters are set anew at
 * every switch of threads: a microsecond on bare metal, tens of them in a virtual machine that traps
 * it. So the price of one switch is measured, the switches are counted, and the group is open only
 * while their product is a small share of the CPU time that the process uses. perf_task_clock_ns is
 * the CPU time during which they counted: instructions by task clock is a rate even with pauses.
 */
#include <errno.h>
#include <sys/resource.h>

#include "../perf.h"
#include "../perf_event.h"
#include "perf_slots.h"

#if JST_WITH_PERF

#define NS UINT64_C(1000000000)
#define BEGIN_NS (NS / 4) /* after the heartbeat's start */
#define LOOK_NS (NS / 2)  /* and again, since starts are busy (MPI_Init) and slices long */
#define LOOKS 8
#define JUDGE_NS (NS / 20) /* a shorter span says nothing about the rate of switches */
#define OPEN_SHARE 500     /* opened where it costs less than a 500th of the CPU time, */
#define CLOSE_SHARE 200    /* closed where it costs more than a 200th */
#define THREADS 128        /* followed; more are only there when they came before the profile */
#define MOST 1024          /* threads in one listing */
#define PER_GROUP 4
#define DEAR_NS                                                                                    \
    10000          /* a switch of threads may cost that with more than one event of the processor */
#define TOO_DEAR 1 /* in place of an error number */
#define FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

enum { HARD, SOFT, GROUPS };

typedef struct event {
    uint8_t bit; /* in perf_asked and perf_granted */
    uint8_t config;
    uint16_t cell;
    bool in_user_too; /* counts something useful where the kernel must be left out */
    const char *name;
} event;

static const uint32_t types[GROUPS] = {PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE};
static const event events[GROUPS][PER_GROUP] = {
    {{0, PERF_COUNT_HW_INSTRUCTIONS, JST_CELL_PERF_INSTRUCTIONS, true, "instructions"},
     {1, PERF_COUNT_HW_CPU_CYCLES, JST_CELL_PERF_CYCLES, true, "cycles"},
     {2, PERF_COUNT_HW_CACHE_MISSES, JST_CELL_PERF_LLC_MISSES, true, "llc_misses"}},
    {{3, PERF_COUNT_SW_TASK_CLOCK, JST_CELL_PERF_TASK_CLOCK_NS, true, "task_clock"},
     {4, PERF_COUNT_SW_CONTEXT_SWITCHES, JST_CELL_PERF_SWITCHES, false, "switches"},
     {5, PERF_COUNT_SW_CPU_MIGRATIONS, JST_CELL_PERF_MIGRATIONS, false, "migrations"},
     {6, PERF_COUNT_SW_PAGE_FAULTS, JST_CELL_PERF_FAULTS, true, "faults"}},
};
#define ASKED 0x7fu

typedef struct followed {
    uint32_t tid; /* 0: free */
    int fd[PER_GROUP];
    uint64_t enabled, running, values[PER_GROUP];
} followed;

static struct {
    followed threads[THREADS];
    unsigned used;
    unsigned usable;           /* a bit per event: what the probe has found */
    uint64_t flags[PER_GROUP]; /* of each event */
    bool open;
} groups[GROUPS];

static uint64_t begin_ns; /* when to look again whether counting may begin, 0: at slices only */
static unsigned looks;    /* so often, */
static bool begun;
static uint64_t inherit;  /* flags by which new threads are followed, 0: only by looking for them */
static uint64_t price_ns; /* of setting the processor's counters anew */
static uint64_t cost_ns;
static bool said_dear, said_crowded;
static struct {
    uint64_t at, switches, cpu;
} judged;
static char note[512];
static bool noted;

/* ---- what is said ---- */

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
    static char text[8192];
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

static int open_event(unsigned g, unsigned e, uint64_t more, uint32_t tid, int leader)
{
    return jst_event_open(types[g], events[g][e].config, groups[g].flags[e] | more, FORMAT, tid,
                          leader);
}

static void lacking(unsigned g, unsigned e, int error, int *said)
{
    if (error == *said) {
        say_on(", ");
        say_on(events[g][e].name);
        return;
    }
    say(reason(error), ": ");
    say_on(events[g][e].name);
    *said = error;
}

/* One event of a group on the heartbeat itself: what it takes to have it. */
static int probe_event(unsigned g, unsigned e, int leader)
{
    groups[g].flags[e] = g == HARD ? JST_EVENT_USER_ONLY : 0;
    int fd = open_event(g, e, 0, 0, leader);
    if ((fd == -EACCES || fd == -EPERM) && events[g][e].in_user_too) {
        groups[g].flags[e] = JST_EVENT_USER_ONLY;
        fd = open_event(g, e, 0, 0, leader);
    }
    return fd;
}

/* Switching a group off and on sets the counters anew, as a switch of threads does. */
static uint64_t price_of(int leader)
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

/* Which events can be had, and with what flags; they stay open in fds, as one group. Where setting
 * the counters is slow, the first of the processor's is worth more than all of them. */
static void probe_group(unsigned g, int *fds)
{
    int leader = -1, said = 0;
    for (unsigned e = 0; e < PER_GROUP; e++)
        fds[e] = -1;
    for (unsigned e = 0; e < PER_GROUP && events[g][e].name; e++) {
        fds[e] = probe_event(g, e, leader);
        if (fds[e] < 0) {
            lacking(g, e, fds[e], &said);
            continue;
        }
        uint64_t price = g == HARD ? price_of(leader < 0 ? fds[e] : leader) : 0;
        if (leader >= 0 && price > DEAR_NS && jst_cfg.perf != JST_PERF_ON) {
            lacking(g, e, TOO_DEAR, &said);
            jst_close(fds[e]);
            fds[e] = -1;
            continue;
        }
        price_ns = g == HARD ? price : price_ns;
        groups[g].usable |= 1u << e;
        leader = leader < 0 ? fds[e] : leader;
    }
}

static void close_fds(int *fds)
{
    for (unsigned e = PER_GROUP; e-- > 0;) {
        if (fds[e] >= 0)
            jst_close(fds[e]);
        fds[e] = -1;
    }
}

static int leader_of(const int *fds)
{
    for (unsigned e = 0; e < PER_GROUP; e++)
        if (fds[e] >= 0)
            return fds[e];
    return -1;
}

/* Some virtual machines let every counter be opened and count nothing. */
static bool counts_nothing(int leader)
{
    uint64_t words[3 + PER_GROUP];
    long n = jst_read(leader, words, sizeof words);
    return n < 32 || words[3] == 0;
}

static void probe(void)
{
    int fds[PER_GROUP];
    int fd = jst_event_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
                            JST_EVENT_USER_ONLY | JST_EVENT_INHERIT | JST_EVENT_INHERIT_THREAD, 0,
                            0, -1);
    inherit = fd >= 0 ? JST_EVENT_INHERIT | JST_EVENT_INHERIT_THREAD : 0;
    if (fd >= 0)
        jst_close(fd);
    probe_group(SOFT, fds);
    close_fds(fds);
    if (jst_cfg.perf == JST_PERF_OFF)
        return;
    probe_group(HARD, fds);
    if (leader_of(fds) >= 0) {
        if (counts_nothing(leader_of(fds))) {
            say("the machine's counters can be opened and count nothing", "");
            groups[HARD].usable = 0;
        } else {
            jst_perf_self_probe(leader_of(fds));
        }
    }
    close_fds(fds);
    if (!inherit && (groups[HARD].usable || groups[SOFT].usable))
        say("the kernel is older than 5.13: ",
            "threads are counted from the slice after their start");
}

/* ---- threads ---- */

/* The process's threads without the heartbeat; at most MOST. */
static unsigned list_threads(uint32_t *tids)
{
    static uint8_t buffer[8192] __attribute__((aligned(8)));
    const uint32_t me = (uint32_t)jst_gettid();
    unsigned n = 0;
    int fd = jst_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    for (long got; (got = jst_sys3(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < got;) {
            const uint8_t *entry =
                buffer + at; /* u64 inode, u64 offset, u16 length, u8 type, name */
            uint32_t tid = 0;
            for (const char *p = (const char *)entry + 19; *p >= '0' && *p <= '9'; p++)
                tid = tid * 10 + (uint32_t)(*p - '0');
            if (tid != 0 && tid != me && n < MOST)
                tids[n++] = tid;
            at += *(const uint16_t *)(entry + 16);
        }
    jst_close(fd);
    return n;
}

static bool has(const uint32_t *tids, unsigned n, uint32_t tid)
{
    for (unsigned i = 0; i < n; i++)
        if (tids[i] == tid)
            return true;
    return false;
}

static followed *free_place(unsigned g)
{
    for (unsigned i = 0; i < groups[g].used; i++)
        if (groups[g].threads[i].tid == 0)
            return &groups[g].threads[i];
    return groups[g].used < THREADS ? &groups[g].threads[groups[g].used++] : NULL;
}

/* 0, or the error that stands in the way of following more. */
static int follow(unsigned g, uint32_t tid)
{
    int leader = -1, error = 0;
    followed *f = free_place(g);
    if (f == NULL)
        return -EMFILE;
    jst_zero(f, sizeof *f);
    for (unsigned e = 0; e < PER_GROUP; e++) {
        f->fd[e] = -1;
        if (!(groups[g].usable & 1u << e) || error)
            continue;
        int fd = open_event(g, e, inherit, tid, leader);
        f->fd[e] = fd >= 0 ? fd : -1;
        leader = leader < 0 ? f->fd[e] : leader;
        error = fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -ESRCH ? fd : 0;
    }
    if (error || leader < 0) {
        close_fds(f->fd);
        return error == -ESRCH ? 0 : error;
    }
    f->tid = tid;
    return 0;
}

static void forget(followed *f)
{
    close_fds(f->fd);
    f->tid = 0;
}

static void close_group(unsigned g)
{
    for (unsigned i = 0; i < groups[g].used; i++)
        if (groups[g].threads[i].tid != 0)
            forget(&groups[g].threads[i]);
    groups[g].used = 0;
    groups[g].open = false;
}

static void follow_all(unsigned g, const uint32_t *tids, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        int error = follow(g, tids[i]);
        if (error && !said_crowded) {
            said_crowded = true;
            say("more threads than can be followed were there at the start; some are not counted: ",
                reason(error));
        }
        if (error)
            return;
    }
}

/* RATIONALE: a thread that was born while its relatives were being followed may or may not have
 * inherited the events, or some of a group. So the threads are listed before and after; if any is
 * new, everything is closed and tried again. Should that go on, the new ones stay out. */
static void open_group(unsigned g)
{
    static uint32_t before[MOST], after[MOST];
    for (int tries = 0; tries < 5; tries++) {
        unsigned n = list_threads(before), same = 0;
        follow_all(g, before, n);
        unsigned m = inherit ? list_threads(after) : 0;
        for (unsigned i = 0; i < m; i++)
            same += has(before, n, after[i]);
        if (same == m)
            break;
        if (tries < 4)
            close_group(g);
    }
    groups[g].open = true;
    for (unsigned e = 0; e < PER_GROUP; e++)
        if (groups[g].usable & 1u << e)
            jst_a.head.perf_granted |= 1u << events[g][e].bit;
}

/* ---- reading ---- */

static uint64_t scaled(uint64_t n, uint64_t enabled, uint64_t running)
{
    if (enabled <= running)
        return n;
    return (uint64_t)((double)n * ((double)enabled / (double)running));
}

/* What one followed thread, and those it brought forth, have counted since the last time. */
static void read_thread(unsigned g, followed *f, uint64_t *cells)
{
    uint64_t words[3 + PER_GROUP];
    unsigned at = 3;
    long n = jst_read(leader_of(f->fd), words, sizeof words);
    if (n < 32 || words[2] <= f->running) /* nothing ran, or was not on the counters */
        return;
    uint64_t enabled = words[1] - f->enabled, running = words[2] - f->running;
    for (unsigned e = 0; e < PER_GROUP && at < 3 + words[0]; e++) {
        if (f->fd[e] < 0)
            continue;
        uint64_t value = words[at++], grown = value > f->values[e] ? value - f->values[e] : 0;
        f->values[e] += grown;
        bool hard_clock = g == SOFT && e == 0 && groups[HARD].usable;
        if (!hard_clock)
            cells[events[g][e].cell] += scaled(grown, enabled, running);
    }
    if (g == HARD)
        cells[JST_CELL_PERF_TASK_CLOCK_NS] += enabled;
    f->enabled = words[1];
    f->running = words[2];
}

/* Where threads do not hand events on: newcomers are found here, and the dead make room. */
static void look_for_threads(unsigned g, jst_block *b)
{
    static uint32_t now[MOST];
    unsigned n = list_threads(now);
    for (unsigned i = 0; i < groups[g].used; i++) {
        followed *f = &groups[g].threads[i];
        if (f->tid == 0)
            continue;
        bool lives = false;
        for (unsigned j = 0; j < n; j++)
            if (now[j] == f->tid) {
                lives = true;
                now[j] = now[--n];
                break;
            }
        if (!lives) {
            read_thread(g, f, b->cells);
            forget(f);
        }
    }
    follow_all(g, now, n);
}

void jst_perf_sample(jst_block *b)
{
    for (unsigned g = 0; g < GROUPS; g++)
        for (unsigned i = 0; groups[g].open && i < groups[g].used; i++)
            if (groups[g].threads[i].tid != 0)
                read_thread(g, &groups[g].threads[i], b->cells);
}

/* ---- what it costs ---- */

static void say_dear(uint64_t switches, uint64_t span)
{
    char text[96], *p = text;
    if (said_dear)
        return;
    said_dear = true;
    p = jst_put_number(p, text + sizeof text, switches * NS / span);
    p = jst_put_text(p, text + sizeof text, " switches of threads a second at ");
    p = jst_put_number(p, text + sizeof text, price_ns);
    jst_put_text(p, text + sizeof text, " ns each");
    say("the processor's counters pause while they are too dear: ", text);
}

/* Opens or closes the processor's group by what it cost, or would have cost, since last time. */
static void judge(void)
{
    struct rusage u;
    uint64_t now = jst_clock_ns(CLOCK_MONOTONIC);
    if (now - judged.at < JUDGE_NS || jst_sys2(SYS_getrusage, RUSAGE_SELF, &u) < 0)
        return;
    uint64_t switches = (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
    uint64_t cpu = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS +
                   (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
    uint64_t span = now - judged.at, used = cpu - judged.cpu, more = switches - judged.switches;
    bool first = judged.at == 0;
    judged.at = now;
    judged.cpu = cpu;
    judged.switches = switches;
    if (first || !groups[HARD].usable)
        return;
    uint64_t price = more * price_ns, all = used > span ? used : span;
    bool forced = jst_cfg.perf == JST_PERF_ON;
    if (groups[HARD].open) {
        cost_ns += price;
        if (price < all / CLOSE_SHARE || forced)
            return;
        close_group(HARD);
        jst_perf_self_close();
        say_dear(more, span);
    } else if (price < all / OPEN_SHARE || forced) {
        open_group(HARD);
    } else {
        say_dear(more, span);
    }
}

uint64_t jst_perf_cost_ns(void)
{
    return cost_ns;
}

/* ---- when ---- */

void jst_perf_open(void)
{
    for (unsigned g = 0; g < GROUPS; g++) {
        groups[g].used = 0; /* descriptors of a heartbeat before us are gone with it */
        groups[g].usable = 0;
        groups[g].open = false;
    }
    jst_perf_self_forget();
    noted = said_dear = said_crowded = begun = false;
    looks = 0;
    jst_a.head.perf_granted &= ~ASKED;
    begin_ns = jst_clock_ns(CLOCK_REALTIME) + BEGIN_NS;
    judged.at = 0;
    judge();
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
        say("nothing is counted, since a filter of system calls might kill for it ",
            "(JOSTLE_PERF=on asks all the same)");
        return;
    }
    probe();
    if (groups[SOFT].usable)
        open_group(SOFT);
}

void jst_perf_tick(jst_block *b)
{
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    if (!begun && now >= begin_ns)
        begin();
    for (unsigned g = 0; g < GROUPS && !inherit; g++)
        if (groups[g].open)
            look_for_threads(g, b);
    jst_perf_sample(b);
    judge();
    if (groups[HARD].open)
        jst_perf_self_serve();
    if (begun)
        begin_ns = groups[HARD].usable && !groups[HARD].open && looks++ < LOOKS ? now + LOOK_NS : 0;
}

void jst_perf_close(void)
{
    close_group(HARD);
    close_group(SOFT);
    jst_perf_self_close();
}

#else

void jst_perf_open(void) {}

uint64_t jst_perf_due(void)
{
    return 0;
}

void jst_perf_tick(jst_block *b)
{
    (void)b;
}

void jst_perf_sample(jst_block *b)
{
    (void)b;
}

void jst_perf_close(void) {}

const char *jst_perf_missing(void)
{
    return NULL;
}

uint64_t jst_perf_cost_ns(void)
{
    return 0;
}

#endif
