/* os_cores.c: counts the cores that the threads of the process may use, and how long they waited
 * for one.
 *
 * That a thread waits for a core alone shows no interference: another thread of its own job may
 * have had it, or a limit of its own may have stopped it. So together with the waiting it is
 * recorded how many threads wanted to run, how many cores they may use, and what the control group
 * allows. For the heartbeat alone, once a slice.
 */
#include "os_cores.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "os.h"
#include "os_binding.h"
#include "sys.h"
#include "text.h"

#if JST_WITH_OS

#define THREADS 16 /* that are followed, the main one first */
#define LEVELS 16  /* of control groups */
#define AWAKE 8    /* a thread that runs or waits for this part of a slice wanted a core */

typedef struct follow {
    uint32_t tid;
    int fd;
    bool here, fresh;     /* fresh: not read yet */
    uint64_t ran, waited; /* last value of schedstat, ns */
} follow;

static follow threads[THREADS];
static int task_fd = -1, stat_fd = -1;
static uint64_t sampled /* ticks */, limit, throttled;
static jst_cpus all;

/* ---- the control group ---- */

/* CPU time that a group may use, ms per second; 0: no limit, or not known. */
static uint64_t limit_in(const char *folder)
{
    char path[512], text[64];
    const char *end = path + sizeof path, *at = text;
    jst_put_text(jst_put_text(path, end, folder), end, "/cpu.max"); /* version 2: "50000 100000" */
    if (jst_read_file(path, text, sizeof text) > 0) {
        uint64_t quota = *at == 'm' ? 0 : jst_next_number(&at), period = jst_next_number(&at);
        return period ? quota * 1000 / period : 0;
    }
    jst_put_text(jst_put_text(path, end, folder), end, "/cpu.cfs_quota_us");
    if (jst_read_file(path, text, sizeof text) <= 0 || *text == '-')
        return 0;
    uint64_t quota = jst_next_number(&at);
    jst_put_text(jst_put_text(path, end, folder), end, "/cpu.cfs_period_us");
    at = text;
    uint64_t period = jst_read_file(path, text, sizeof text) > 0 ? jst_next_number(&at) : 0;
    return period ? quota * 1000 / period : 0;
}

/* Reads a group and those above it, up to `root` letters; the tightest limit throttles. */
static void look_upwards(char *folder, size_t root)
{
    for (int i = 0; i < LEVELS; i++) {
        uint64_t found = limit_in(folder);
        size_t n = jst_strlen(folder);
        if (found && (limit == 0 || found < limit)) {
            limit = found;
            if (stat_fd >= 0)
                jst_close(stat_fd);
            jst_put_text(folder + n, folder + n + 16, "/cpu.stat");
            stat_fd = jst_openat(AT_FDCWD, folder, O_RDONLY | O_CLOEXEC, 0);
        }
        while (n > root && folder[n - 1] != '/')
            n--;
        if (n <= root)
            return;
        folder[n - 1] = 0;
    }
}

static void find_limit(void)
{
    limit = throttled = 0;
    stat_fd = -1;
    jst_groups_look("cpu", look_upwards);
}

/* Time that the group was kept from running so far, ns. */
static uint64_t throttled_so_far(void)
{
    char text[1024];
    long n = stat_fd >= 0 ? jst_pread(stat_fd, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    for (const char *p = text; *p; p++) {
        if (p != text && p[-1] != '\n')
            continue;
        if (jst_begins_with(p, "throttled_usec "))
            return jst_next_number(&p) * 1000;
        if (jst_begins_with(p, "throttled_time "))
            return jst_next_number(&p);
    }
    return 0;
}

/* ---- threads ---- */

static void drop(follow *t)
{
    if (t->fd >= 0)
        jst_close(t->fd);
    t->tid = 0;
}

static void open_thread(follow *t)
{
    char path[64];
    const char *end = path + sizeof path;
    char *p = jst_put_text(path, end, "/proc/self/task/");
    jst_put_text(jst_put_number(p, end, t->tid), end, "/schedstat");
    t->fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

static void add_thread(uint32_t tid)
{
    follow *free = NULL;
    for (unsigned i = THREADS; i-- > 0;) {
        if (threads[i].tid == tid) {
            threads[i].here = true;
            return;
        }
        if (threads[i].tid == 0)
            free = &threads[i];
    }
    if (free == NULL)
        return;
    *free = (follow){.tid = tid, .here = true, .fresh = true};
    open_thread(free);
}

/* Finds the threads; the heartbeat itself is not one of the program's. */
static void find_threads(uint64_t count)
{
    for (unsigned i = 0; i < THREADS; i++)
        threads[i].here = false;
    if (count <= 1 && !jst_os_leader_gone()) { /* as most programs have it */
        add_thread((uint32_t)jst_now_life.pid);
    } else if (task_fd >= 0) {
        uint8_t buffer[2048] __attribute__((aligned(8)));
        uint32_t me = (uint32_t)jst_gettid();
        jst_sys3(SYS_lseek, task_fd, 0, SEEK_SET);
        for (long n; (n = jst_sys3(SYS_getdents64, task_fd, buffer, sizeof buffer)) > 0;)
            for (long at = 0; at < n;) {
                const jst_entry *entry = (const jst_entry *)(buffer + at);
                const char *name = entry->name;
                uint32_t tid = *name == '.' ? 0 : (uint32_t)jst_next_number(&name);
                if (tid != 0 && tid != me)
                    add_thread(tid);
                at += entry->length;
            }
    }
    for (unsigned i = 0; i < THREADS; i++)
        if (threads[i].tid && !threads[i].here)
            drop(&threads[i]);
}

static void add_cpus(uint32_t tid)
{
    jst_cpus some;
    long n = jst_sys3(SYS_sched_getaffinity, tid, sizeof some.words, some.words);
    for (long i = 0; i < n / 8; i++)
        all.words[i] |= some.words[i];
}

static void say_cpus(jst_block *b)
{
    uint64_t count = 0, first = 0;
    for (uint64_t i = sizeof all.words / 8; i-- > 0;)
        if (all.words[i]) {
            count += (uint64_t)__builtin_popcountll(all.words[i]);
            first = i * 64 + (uint64_t)__builtin_ctzll(all.words[i]);
        }
    b->cells[JST_CELL_OS_CPUS] = count;
    b->cells[JST_CELL_OS_FIRST_CPU] = first;
}

/* Adds what a thread waited for a core since the last time; true: it wanted one. A thread that ran and waited for
 * longer than there was time since then is no new one, it got the place of one that ended: what it waited before
 * belongs to slices that are over. since: ns, 0: this is the first time. */
static bool take(jst_block *b, follow *t, uint64_t elapsed, uint64_t since)
{
    char text[96];
    long n = t->fd >= 0 ? jst_pread(t->fd, text, sizeof text - 1, 0) : 0;
    if (n <= 0)
        return false;
    text[n] = 0;
    const char *p = text;
    uint64_t ran = jst_next_number(&p), waited = jst_next_number(&p);
    if (t->fresh && since &&
        ran + waited > since + since / 64) { /* the two clocks differ a little */
        t->ran = ran;
        t->waited = waited;
    }
    t->fresh = false;
    uint64_t more = waited > t->waited ? waited - t->waited : 0;
    uint64_t busy = more + (ran > t->ran ? ran - t->ran : 0);
    b->cells[JST_CELL_OS_RUNQUEUE_NS] += more;
    t->ran = ran;
    t->waited = waited;
    return busy >= elapsed / AWAKE;
}

void jst_cores_child(void)
{
    jst_zero(threads, sizeof threads);
    sampled = 0;
    jst_binding_begin();
}

/* A heartbeat that begins again continues the counts of the last one. */
void jst_cores_open(int fd)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (threads[i].tid)
            open_thread(&threads[i]);
    task_fd = fd;
    jst_binding_begin();
    find_limit();
    throttled = throttled_so_far();
}

void jst_cores_sample(jst_block *b)
{
    uint64_t now = jst_ticks(), count = b->cells[JST_CELL_OS_THREADS], awake = 0, followed = 0;
    uint64_t since = sampled && now > sampled ? jst_ticks_to_ns(now - sampled) : 0;
    uint64_t elapsed = since > jst_cfg.slice_ns ? since : jst_cfg.slice_ns;
    sampled = now;
    find_threads(count);
    jst_zero(&all, sizeof all);
    for (unsigned i = 0; i < THREADS; i++)
        if (threads[i].tid) {
            followed++;
            bool wanted = take(b, &threads[i], elapsed, since);
            if (wanted)
                jst_binding_ran(threads[i].tid);
            awake += wanted;
            add_cpus(threads[i].tid);
        }
    if (count > followed) { /* of the others only their existence is known */
        awake += awake ? count - followed : 0;
        add_cpus(0); /* as the program was started */
    }
    b->cells[JST_CELL_OS_AWAKE] = awake;
    say_cpus(b);
    jst_binding_say(&all);
    b->cells[JST_CELL_OS_CPU_LIMIT] = limit;
    if (limit) {
        uint64_t so_far = throttled_so_far();
        b->cells[JST_CELL_OS_THROTTLED_NS] += so_far > throttled ? so_far - throttled : 0;
        throttled = so_far;
    }
}

#endif
