/* perf_group.c: the two groups of events: their threads, opening, reading, closing.
 *
 * Each thread that lives when a group is opened is followed, and passes the events on to the
 * threads that it makes (inherit_thread: not to forked children, which have profiles of their own).
 */
#include <errno.h>

#include "common.h"
#include "perf_event.h"
#include "perf_group.h"
#include "profile/area.h"
#include "sys.h"
#include "text.h"

#if JST_WITH_PERF

#define THREADS 128 /* followed; more only if they existed before the profile */
#define MOST 1024   /* threads in one listing */
#define FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static const uint32_t types[JST_GROUPS] = {PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE};
const jst_event_kind jst_event_kinds[JST_GROUPS][JST_PER_GROUP] = {
    {{0, PERF_COUNT_HW_INSTRUCTIONS, JST_CELL_PERF_INSTRUCTIONS, true, "instructions"},
     {1, PERF_COUNT_HW_CPU_CYCLES, JST_CELL_PERF_CYCLES, true, "cycles"},
     {2, PERF_COUNT_HW_CACHE_MISSES, JST_CELL_PERF_LLC_MISSES, true, "llc_misses"}},
    {{3, PERF_COUNT_SW_TASK_CLOCK, JST_CELL_PERF_TASK_CLOCK_NS, true, "task_clock"},
     {4, PERF_COUNT_SW_CONTEXT_SWITCHES, JST_CELL_PERF_SWITCHES, false, "switches"},
     {5, PERF_COUNT_SW_CPU_MIGRATIONS, JST_CELL_PERF_MIGRATIONS, false, "migrations"},
     {6, PERF_COUNT_SW_PAGE_FAULTS, JST_CELL_PERF_FAULTS, true, "faults"}},
};
typedef struct followed {
    uint32_t tid; /* 0: free */
    int fd[JST_PER_GROUP];
    uint64_t enabled, running, values[JST_PER_GROUP];
} followed;

JST_LARGE jst_group_use jst_groups[JST_GROUPS];
uint64_t jst_inherit;

JST_LARGE static struct {
    followed threads[THREADS];
    unsigned used;
} groups[JST_GROUPS];

int jst_group_event(unsigned g, unsigned e, uint64_t more, uint32_t tid, int leader)
{
    return jst_event_open(types[g], jst_event_kinds[g][e].config, jst_groups[g].flags[e] | more,
                          FORMAT, tid, leader);
}

void jst_group_close_fds(int *fds)
{
    for (unsigned e = JST_PER_GROUP; e-- > 0;) {
        if (fds[e] >= 0)
            jst_close(fds[e]);
        fds[e] = -1;
    }
}

int jst_group_leader(const int *fds)
{
    for (unsigned e = 0; e < JST_PER_GROUP; e++)
        if (fds[e] >= 0)
            return fds[e];
    return -1;
}

/* ---- threads ---- */

/* The process's threads without the heartbeat; at most MOST. */
static unsigned list_threads(uint32_t *tids)
{
    JST_LARGE static uint8_t buffer[2048] __attribute__((aligned(8)));
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

JST_LARGE static uint32_t listed[2][MOST];

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

/* 0, or the error that prevents following more. */
static int follow(unsigned g, uint32_t tid)
{
    int leader = -1, error = 0;
    followed *f = free_place(g);
    if (f == NULL)
        return -EMFILE;
    jst_zero(f, sizeof *f);
    for (unsigned e = 0; e < JST_PER_GROUP; e++) {
        f->fd[e] = -1;
        if (!(jst_groups[g].usable & 1u << e) || error)
            continue;
        int fd = jst_group_event(g, e, jst_inherit, tid, leader);
        f->fd[e] = fd >= 0 ? fd : -1;
        leader = leader < 0 ? f->fd[e] : leader;
        error = fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -ESRCH ? fd : 0;
    }
    if (error || leader < 0) {
        jst_group_close_fds(f->fd);
        return error == -ESRCH ? 0 : error;
    }
    f->tid = tid;
    return 0;
}

static void forget(followed *f)
{
    jst_group_close_fds(f->fd);
    f->tid = 0;
}

void jst_group_close(unsigned g)
{
    for (unsigned i = 0; i < groups[g].used; i++)
        if (groups[g].threads[i].tid != 0)
            forget(&groups[g].threads[i]);
    groups[g].used = 0;
    jst_groups[g].open = false;
}

static int follow_all(unsigned g, const uint32_t *tids, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        int error = follow(g, tids[i]);
        if (error)
            return error;
    }
    return 0;
}

/* RATIONALE: a thread that was made while others were being followed may or may not have inherited
 * the events, or some of a group. So the threads are listed before and after; if any is new,
 * everything is closed and tried again. If that continues, the new ones are left out. */
int jst_group_open(unsigned g)
{
    uint32_t *const before = listed[0], *const after = listed[1];
    int error = 0;
    for (int tries = 0; tries < 5; tries++) {
        unsigned n = list_threads(before), same = 0;
        error = follow_all(g, before, n);
        unsigned m = jst_inherit ? list_threads(after) : 0;
        for (unsigned i = 0; i < m; i++)
            same += has(before, n, after[i]);
        if (same == m)
            break;
        if (tries < 4)
            jst_group_close(g);
    }
    jst_groups[g].open = true;
    for (unsigned e = 0; e < JST_PER_GROUP; e++)
        if (jst_groups[g].usable & 1u << e)
            jst_a.head.perf_granted |= 1u << jst_event_kinds[g][e].bit;
    return error;
}

/* ---- reading ---- */

static uint64_t scaled(uint64_t n, uint64_t enabled, uint64_t running)
{
    if (enabled <= running)
        return n;
    return (uint64_t)((double)n * ((double)enabled / (double)running));
}

/* Counts of one followed thread, and those it made, since the last time. */
static void read_thread(unsigned g, followed *f, uint64_t *cells)
{
    uint64_t words[3 + JST_PER_GROUP];
    unsigned at = 3;
    long n = jst_read(jst_group_leader(f->fd), words, sizeof words);
    if (n < 32 || words[2] <= f->running) /* nothing ran, or was not on the counters */
        return;
    uint64_t enabled = words[1] - f->enabled, running = words[2] - f->running;
    for (unsigned e = 0; e < JST_PER_GROUP && at < 3 + words[0]; e++) {
        if (f->fd[e] < 0)
            continue;
        uint64_t value = words[at++], grown = value > f->values[e] ? value - f->values[e] : 0;
        f->values[e] += grown;
        bool hard_clock = g == JST_SOFT && e == 0 && jst_groups[JST_HARD].usable;
        if (!hard_clock)
            cells[jst_event_kinds[g][e].cell] += scaled(grown, enabled, running);
    }
    if (g == JST_HARD)
        cells[JST_CELL_PERF_TASK_CLOCK_NS] += enabled;
    f->enabled = words[1];
    f->running = words[2];
}

int jst_group_look(unsigned g, uint64_t *cells)
{
    uint32_t *const now = listed[0];
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
            read_thread(g, f, cells);
            forget(f);
        }
    }
    return follow_all(g, now, n);
}

void jst_group_read(unsigned g, uint64_t *cells)
{
    for (unsigned i = 0; jst_groups[g].open && i < groups[g].used; i++)
        if (groups[g].threads[i].tid != 0)
            read_thread(g, &groups[g].threads[i], cells);
}

void jst_group_forget(unsigned g)
{
    groups[g].used = 0;
    jst_zero(&jst_groups[g], sizeof jst_groups[g]);
}

#endif
