/* process.c: samples the processes of this machine and their use of cores and disks, profiled or
 * not.
 *
 * A machine may have thousands of processes, nearly all of them asleep, and a slice may have 100 ms. So
 * nothing here is done for all of them at each boundary:
 * - CPU time is read by one system call for each process, clock_gettime of its clock, which opens no
 *   file, costs a seventh of reading /proc/PID/stat, and counts nanoseconds.
 * - Processes that used more than 1/200 of a core lately are read at each boundary; the others in
 *   turn, so many in a second. Their increases are reported for all slices since the last reading.
 * - New processes are found by the kernel's newest process id (/proc/loadavg); all of /proc is
 *   listed only each half a minute, and where the ids began again.
 * - Names are read only for the largest. The rest is one component, "others".
 * - Which cores the largest are on is sampled between boundaries, where some process is bound
 *   (process_cores.c).
 * - The cost of all this is counted, and where it is more than 1/1600 of a core a boundary is
 *   skipped: the next records span it.
 *
 * The CPU time of a process that ends between two boundaries is missing from its last reading on.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "config.h"
#include "process.h"
#include "sys.h"

#define NS UINT64_C(1000000000)
#define MOST 65536 /* processes that are known at a time */
#define LARGEST 20 /* that are reported by name; those of the job are additional */
#define SEEN                                                                                       \
    50 /* a process that used more than this part of a core since the boundary is sampled */
#define SEEN_NS (NS / 1000) /* and more than this */
#define ASKED 32            /* whose bytes are read: the largest by CPU time */
#define FACTS 512           /* processes whose names are known at a time */
#define LITTLE 200          /* with less than this part of a core it is not read at each boundary */
#define WARM 16             /* boundaries at which a process is read after it used more */
#define BY_TURNS 500        /* others that are read in a second */
#define NEW 1000            /* numbers that are tried in a second */
#define LIST_NS (30 * NS)
#define LIST_SOON_NS (4 * NS) /* where more processes begin than are tried */
#define LOOK_AGAIN 16
#define COST 1600            /* part of a core that all this may cost */
#define CREDIT_NS (NS / 250) /* CPU time that may be saved up */

typedef struct entry {
    uint32_t pid;  /* 0: it is gone */
    uint16_t fact; /* number of its facts, plus 1; 0: none */
    uint8_t warm;
    bool is_new;    /* since the boundary before: it began at 0 */
    uint64_t cpu;   /* as read last */
    uint64_t slice; /* that had begun then */
} entry;

typedef struct candidate {
    uint64_t cpu, first;
    uint64_t bytes[JST_PROCESS_BYTES];
    uint32_t at; /* in table */
    bool has_bytes;
} candidate;

static entry table[MOST];            /* by pid */
static uint32_t known, turn, newest; /* entries; the next one; the newest process id */
static jst_process facts[FACTS];
static candidate candidates[FACTS];
static uint32_t found;
static uint64_t listed_ns, sampled_ns, rest_cpu, rest_bytes[JST_PROCESS_BYTES];
static uint64_t asked_ns, spent_ns; /* the newest boundary, and CPU time of this thread up to it */
static int64_t credit_ns;
static bool passed, looked; /* the boundary before this one; between boundaries, ever */
static uint32_t self;

/* ---- finding processes ---- */

static jst_process *facts_of(const entry *e)
{
    return e->fact ? &facts[e->fact - 1] : NULL;
}

static void forget(entry *e)
{
    jst_process *p = facts_of(e);
    if (p)
        p->pid = 0;
    e->fact = 0;
}

static int by_pid(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void add(uint32_t pid, uint64_t slice, bool is_new)
{
    uint64_t cpu = jst_process_cpu(pid);
    if (cpu && pid != self && known < MOST)
        table[known++] = (entry){.pid = pid,
                                 .cpu = is_new ? 0 : cpu,
                                 .slice = slice,
                                 .is_new = is_new,
                                 .warm = is_new ? WARM : 1}; /* finds active ones at once */
}

/* All that /proc shows. */
static bool list_all(uint64_t now_ns, uint64_t slice)
{
    DIR *d = opendir("/proc");
    if (!d)
        return false;
    uint32_t before = known;
    qsort(table, known, sizeof *table, by_pid); /* after the ids began again they are in no order */
    for (struct dirent *e; (e = readdir(d));) {
        entry key = {.pid = (uint32_t)strtoul(e->d_name, NULL, 10)};
        if (key.pid && !bsearch(&key, table, before, sizeof key, by_pid))
            add(key.pid, slice, false);
    }
    closedir(d);
    listed_ns = now_ns;
    return true;
}

/* The last number in /proc/loadavg: the newest process id. */
static uint32_t newest_number(void)
{
    static int fd = -1;
    char text[128];
    if (fd < 0)
        fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof text - 1, 0);
    if (n <= 0)
        return 0;
    text[n] = 0;
    const char *last = strrchr(text, ' ');
    return last ? (uint32_t)strtoul(last + 1, NULL, 10) : 0;
}

/* Processes that began since the last boundary. */
static void find_new(uint64_t now_ns, uint64_t slice, uint64_t before)
{
    uint32_t last = newest_number();
    uint64_t may = 1 + NEW * (now_ns - sampled_ns) / NS;
    bool again = last < newest || last - newest > may;
    for (uint32_t pid = newest + 1; !again && pid <= last; pid++)
        add(pid, before, true);
    newest = last;
    if (now_ns - listed_ns >= (again ? LIST_SOON_NS : LIST_NS))
        list_all(now_ns, slice);
}

static void compact(void)
{
    uint32_t to = 0, next = 0;
    for (uint32_t i = 0; i < known; i++) {
        if (i == turn)
            next = to;
        if (table[i].pid)
            table[to++] = table[i];
    }
    turn = turn < known ? next : 0;
    known = to;
}

/* ---- their use ---- */

/* Reads one: a candidate, or a part of the rest. */
static void read_entry(uint32_t at, uint64_t slice)
{
    entry *e = &table[at];
    uint64_t cpu = jst_process_cpu(e->pid);
    if (!cpu) {
        forget(e);
        e->pid = 0;
        return;
    }
    if (cpu < e->cpu) { /* its id was given to another process */
        forget(e);
        e->cpu = 0;
    }
    uint64_t gained = cpu - e->cpu, first = e->slice < slice ? e->slice : slice - 1;
    const jst_process *p = facts_of(e);
    if (p && p->is_profiled) {
        e->warm = WARM;
    } else if (gained > (slice - first) * jst_cfg.slice_ns / LITTLE) {
        e->warm = WARM;
        if (found < FACTS)
            candidates[found++] = (candidate){.at = at, .cpu = gained, .first = first};
        else
            rest_cpu += gained;
    } else {
        e->warm -= e->warm > 0;
        rest_cpu += gained;
    }
    e->cpu = cpu;
    e->slice = slice;
}

static void read_entries(uint64_t slice, uint64_t quota)
{
    uint32_t n = known, from = turn < n ? turn : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t behind = i >= from ? i - from : i + n - from;
        if (table[i].warm || behind < quota)
            read_entry(i, slice);
    }
    turn = n ? (uint32_t)((from + (quota < n ? quota : n)) % n) : 0;
}

/* Facts of a process, where there is space; those of idle processes are freed. */
static jst_process *identify(entry *e)
{
    static uint32_t next;
    jst_process *p = facts_of(e);
    if (p)
        return p;
    for (uint32_t i = 0; i < FACTS && !p; i++, next = (next + 1) % FACTS)
        if (!facts[next].pid)
            p = &facts[next];
    if (!p) {
        for (uint32_t i = 0; i < known; i++)
            if (table[i].fact && !table[i].warm)
                forget(&table[i]);
        return NULL; /* there is space at the next boundary */
    }
    /* The first check of a process may be before its exec: the next one is soon. */
    *p = (jst_process){.pid = e->pid, .reports = 2};
    if (!jst_process_identify(p)) {
        p->pid = 0;
        return NULL;
    }
    e->fact = (uint16_t)(p - facts + 1);
    return p;
}

/* For a report: facts that may change are read again now and then. */
static jst_process *identify_again(entry *e)
{
    jst_process *p = facts_of(e);
    if (p && --p->reports == 0) {
        p->reports = LOOK_AGAIN;
        if (!jst_process_look_again(p))
            forget(e);
    }
    return identify(e);
}

static int by_cpu(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->cpu < y->cpu ? 1 : x->cpu > y->cpu ? -1 : 0;
}

static uint64_t bytes_of(const candidate *c)
{
    return c->bytes[JST_DISK_READ] + c->bytes[JST_DISK_WRITE];
}

static uint64_t most_cpu, most_bytes;

/* By the larger of its parts of CPU time and bytes. */
static int by_part(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    double cpu = most_cpu ? (double)most_cpu : 1, bytes = most_bytes ? (double)most_bytes : 1;
    double p = (double)x->cpu / cpu, q = (double)bytes_of(x) / bytes;
    double r = (double)y->cpu / cpu, s = (double)bytes_of(y) / bytes;
    double of_x = p > q ? p : q, of_y = r > s ? r : s;
    return of_x < of_y ? 1 : of_x > of_y ? -1 : 0;
}

static void to_rest(const candidate *c)
{
    rest_cpu += c->cpu;
    for (unsigned i = 0; i < JST_PROCESS_BYTES; i++)
        rest_bytes[i] += c->bytes[i];
}

static void put_bytes(jst_component *c, const uint64_t bytes[JST_PROCESS_BYTES])
{
    static const enum jst_component_metric metrics[JST_PROCESS_BYTES] = {
        [JST_CALL_READ] = JST_STORAGE_CALL_READ_BYTES,
        [JST_CALL_WRITE] = JST_STORAGE_CALL_WRITE_BYTES,
        [JST_DISK_READ] = JST_STORAGE_READ_BYTES,
        [JST_DISK_WRITE] = JST_STORAGE_WRITE_BYTES,
    };
    for (unsigned i = 0; i < JST_PROCESS_BYTES; i++)
        jst_increase(c, metrics[i], bytes[i]);
}

static jst_component *component_of(jst_sample *s, const candidate *c, const jst_process *p,
                                   const char *cores, uint64_t cpu, uint64_t before)
{
    jst_component *to = jst_component_of(s, &(jst_names){.kind = JST_KIND_PROCESS,
                                                         .name = p->name,
                                                         .source = cores,
                                                         .job = p->of_job ? jst_job_name : "",
                                                         .path = p->group,
                                                         .pid = p->pid,
                                                         .uid = p->uid});
    jst_increase(to, JST_CPU_USED_NS, cpu);
    if (c->first < before || passed)
        jst_gained_since(to, c->first);
    return to;
}

/* By the cores on which it was seen; the unknown part is on any that it may use. */
static void report(jst_sample *s, const candidate *c, jst_process *p, uint64_t before)
{
    char cores[JST_CORE_LIST];
    uint64_t rest = c->cpu;
    for (unsigned k = 0; k < JST_PARTS; k++) {
        uint64_t cpu = jst_process_ran_on(p, k, c->cpu, cores);
        cpu = cpu < rest ? cpu : rest;
        if (cpu)
            component_of(s, c, p, cores, cpu, before);
        rest -= cpu;
    }
    p->seen.is_reported = true;
    jst_component *to = component_of(s, c, p, p->cores, rest, before);
    if (c->has_bytes)
        put_bytes(to, c->bytes);
}

/* Bytes of those that used most CPU time; then the largest by name, the others together. */
static void report_all(jst_sample *s, uint64_t before)
{
    qsort(candidates, found, sizeof *candidates, by_cpu);
    uint32_t asked = found < ASKED ? found : ASKED, named = 0;
    most_cpu = most_bytes = 0;
    for (uint32_t i = 0; i < asked; i++) {
        candidate *c = &candidates[i];
        jst_process *p = identify_again(&table[c->at]);
        c->has_bytes = p && jst_process_bytes(p, table[c->at].is_new, c->bytes);
        table[c->at].is_new = false;
        most_cpu = c->cpu > most_cpu ? c->cpu : most_cpu;
        most_bytes = bytes_of(c) > most_bytes ? bytes_of(c) : most_bytes;
    }
    qsort(candidates, asked, sizeof *candidates, by_part);
    for (uint32_t i = 0; i < found; i++) {
        jst_process *p = i < asked ? facts_of(&table[candidates[i].at]) : NULL;
        if (p && !p->is_profiled && (p->of_job || named < LARGEST)) {
            named += !p->of_job;
            report(s, &candidates[i], p, before);
        } else if (!p || !p->is_profiled) {
            to_rest(&candidates[i]);
        }
    }
    jst_component *rest =
        jst_component_of(s, &(jst_names){.kind = JST_KIND_PROCESS, .name = "others"});
    jst_increase(rest, JST_CPU_USED_NS, rest_cpu);
    put_bytes(rest, rest_bytes);
    if (passed)
        jst_gained_since(rest, before);
}

/* ---- the source ---- */

static const char *open_processes(void)
{
    self = (uint32_t)getpid();
    if (jst_cfg.unprofiled == JST_FILES_OFF)
        return "`unprofiled = off` in the operator's file";
    if (jst_root[0])
        return "only the running machine has them";
    known = turn = newest = 0;
    sampled_ns = 0;
    return jst_process_cpu(self) ? NULL : "the kernel shows no CPU time of processes";
}

/* Has enough time passed for the cost of the samples so far? */
static bool may_go_on(uint64_t now_ns)
{
    uint64_t spent = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    credit_ns += (int64_t)((now_ns - asked_ns) / COST) - (int64_t)(spent - spent_ns);
    credit_ns = credit_ns < (int64_t)CREDIT_NS ? credit_ns : (int64_t)CREDIT_NS;
    asked_ns = now_ns;
    spent_ns = spent;
    return credit_ns >= 0;
}

/* ---- between boundaries ---- */

/* Half of what may be saved up is left for the boundary. */
static bool may_look(uint64_t now_ns)
{
    uint64_t spent = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID) - spent_ns;
    return sampled_ns && now_ns > sampled_ns &&
           credit_ns + (int64_t)((now_ns - asked_ns) / COST) - (int64_t)spent >
               (int64_t)CREDIT_NS / 2;
}

/* Finds active processes in this slice. The first time all are read, else those that were active
 * lately. */
static void find_busy(uint64_t since_ns)
{
    uint64_t least = since_ns / SEEN > SEEN_NS ? since_ns / SEEN : SEEN_NS;
    found = 0;
    for (uint32_t i = 0; i < known && found < FACTS; i++) {
        entry *e = &table[i];
        uint64_t cpu = !looked || e->warm > 1 ? jst_process_cpu(e->pid) : 0;
        if (cpu < e->cpu + least)
            continue;
        e->warm = WARM;
        candidates[found++] = (candidate){.at = i, .cpu = cpu - e->cpu};
    }
    looked = true;
    qsort(candidates, found, sizeof *candidates, by_cpu);
}

static void look_at_processes(void)
{
    uint64_t now_ns = jst_clock_ns(CLOCK_REALTIME);
    if (!may_look(now_ns))
        return;
    find_new(now_ns, now_ns / jst_cfg.slice_ns, sampled_ns / jst_cfg.slice_ns);
    find_busy(now_ns - sampled_ns);
    for (uint32_t i = 0; i < found && i < ASKED; i++)
        identify(&table[candidates[i].at]);
    jst_cores_begin();
    for (uint32_t i = 0; i < FACTS; i++)
        if (facts[i].pid && !facts[i].is_kernels) /* these are bound everywhere, and use little */
            jst_cores_bound(facts[i].cores);
    jst_cores_cut();
    for (uint32_t i = 0; i < found && i < LARGEST; i++) {
        const entry *e = &table[candidates[i].at];
        jst_process *p = facts_of(e);
        if (p && !p->is_profiled && jst_cores_are_apart(p->cores))
            jst_process_see(p, e->cpu + candidates[i].cpu, candidates[i].cpu);
    }
}

static const char *sample_processes(jst_sample *s)
{
    uint64_t now_ns = jst_clock_ns(CLOCK_REALTIME), slice = now_ns / jst_cfg.slice_ns;
    uint64_t before = sampled_ns / jst_cfg.slice_ns;
    bool last =
        slice == asked_ns / jst_cfg.slice_ns; /* before the slice's end, and it counts for it */
    if (!sampled_ns || now_ns < sampled_ns) { /* the first one, or the clock was set back */
        known = turn = 0;
        newest = newest_number();
        memset(facts, 0, sizeof facts);
        looked = false;
        bool listed = list_all(now_ns, slice);
        sampled_ns = asked_ns = now_ns;
        spent_ns = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        credit_ns = CREDIT_NS;
        return listed ? NULL : "/proc cannot be listed";
    }
    if (!may_go_on(now_ns) && !last) {
        passed = true;
        return NULL;
    }
    slice += last;
    found = 0;
    rest_cpu = 0;
    memset(rest_bytes, 0, sizeof rest_bytes);
    find_new(now_ns, slice, before);
    read_entries(slice, 1 + BY_TURNS * (now_ns - sampled_ns) / NS);
    report_all(s, before);
    compact();
    sampled_ns = now_ns;
    passed = false;
    return NULL;
}

const jst_source jst_source_process = {.name = "processes",
                                       .open = open_processes,
                                       .sample = sample_processes,
                                       .look = look_at_processes};
