/* beat.c: the sampler's main thread: at each slice boundary it samples the sources and writes the
 * increases.
 *
 * A sample that is done within half a slice counts for the boundary at which it was requested; a
 * later one for the next boundary, so that a source that is always slow has a record for each
 * slice. One that does not return at all is waited for once; its increases until it does span the
 * slices.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "beat.h"
#include "config.h"
#include "file.h"
#include "rights.h"
#include "runner.h"
#include "sources.h"
#include "sys.h"

#define NS UINT64_C(1000000000)
#define KEPT_BYTES (512 * 1024)
#define NOTES 16 /* of one source in one file */

static jst_component *batch[JST_FILE_COMPONENTS];
static enum jst_machine_role role;
static bool role_is_given;

/* ---- notes of sources ---- */

static void note(jst_runner *r, uint64_t now, const char *text)
{
    char line[256];
    uint32_t hash = 1;
    for (const char *p = text; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 0x01000193u;
    if (hash == r->said || r->notes >= NOTES)
        return;
    r->said = hash;
    r->notes++;
    snprintf(line, sizeof line, "%s: %s", r->source->name, text);
    jst_file_note(now, line);
}

/* One sentence in each file on what is not available. */
static void note_absent(uint64_t now)
{
    char line[1024] = "not here:";
    size_t n = strlen(line);
    bool any = false;
    for (unsigned i = 0; i < jst_runner_count; i++) {
        jst_runner *r = &jst_runners[i];
        if (jst_runner_state_of(r) == JST_RUNNING || r->open || n >= sizeof line - 1)
            continue;
        n += (size_t)snprintf(line + n, sizeof line - n, "%s %s (%s)", any ? "," : "",
                              r->source->name, r->why);
        any = true;
    }
    if (any)
        jst_file_note(now, line);
}

/* ---- records ---- */

static bool is_server(const jst_sample *s)
{
    for (uint32_t i = 0; i < s->room; i++) {
        const jst_component *c = s->table[i];
        if (c && c->seen == s->number &&
            (c->names.kind == JST_KIND_NFS_SERVER || c->names.kind == JST_KIND_LUSTRE_OST ||
             c->names.kind == JST_KIND_LUSTRE_MDT || c->names.kind == JST_KIND_GPFS_DISK ||
             c->names.kind == JST_KIND_CEPH_OSD || c->names.kind == JST_KIND_CEPH_MDS))
            return true;
    }
    return false;
}

static bool begin_file(uint64_t now)
{
    if (jst_file_begin(role) < 0)
        return false;
    for (unsigned i = 0; i < jst_runner_count; i++)
        jst_runners[i].notes = jst_runners[i].said = jst_runners[i].bytes = 0;
    note_absent(now);
    return true;
}

static bool is_greedy(const jst_runner *r)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < jst_runner_count; i++)
        all += jst_runners[i].bytes;
    return r->bytes * jst_runner_count > all;
}

/* Where space is short the sources that take more than their share of it wait: half of the burst is kept
 * for the others, and the one that has waited longest is first. */
static bool may_write(const jst_runner *r, uint64_t end)
{
    uint64_t wanted = r->newest;
    if (is_greedy(r)) {
        wanted += KEPT_BYTES;
        for (unsigned i = 0; i < jst_runner_count; i++)
            if (jst_runners[i].open_slice < r->open_slice && is_greedy(&jst_runners[i]))
                wanted += jst_runners[i].newest;
    }
    return jst_file_space(end) >= wanted;
}

/* Adds the components of a source with increases to the batch. */
static unsigned gather(const jst_runner *r)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < r->sample.room && n < JST_FILE_COMPONENTS; i++) {
        jst_component *c = r->sample.table[i];
        if (c && jst_component_gained(c))
            batch[n++] = c;
    }
    return n;
}

static int by_first(const void *a, const void *b)
{
    const jst_component *x = *(jst_component *const *)a, *y = *(jst_component *const *)b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Writes the records of one source's slices: one for each slice since which there are increases. A
 * clock that was set back leaves one slice for all increases. */
static void write_source(jst_runner *r, uint64_t now, uint64_t slice)
{
    uint64_t end = slice > r->open_slice ? slice : r->open_slice + 1, bytes = 0;
    /* Already processed at this boundary, since the sample was late: later increases wait for the
     * next. */
    if (slice == r->open_slice || !may_write(r, end))
        return;
    unsigned n = gather(r);
    if (n > jst_file_room() && !begin_file(now))
        return;
    r->newest = 0;
    qsort(batch, n, sizeof(void *), by_first); /* of pointers */
    for (unsigned from = 0, to; from < n; from = to) {
        uint64_t first = batch[from]->first ? batch[from]->first : r->open_slice;
        for (to = from + 1; to < n && batch[to]->first == batch[from]->first;)
            to++;
        /* Increases that are not written are kept for the next record. */
        if (jst_file_write(batch + from, to - from, first < end ? first : end - 1, end, &bytes) < 0)
            return;
        r->bytes += bytes;
        r->newest += bytes;
    }
    r->open_slice = slice;
}

/* Processes the report of a source that is done, for the boundary at which `slice` begins. */
static void take(jst_runner *r, uint64_t now, uint64_t slice)
{
    if (!role_is_given && role == JST_ROLE_NODE && is_server(&r->sample))
        role = JST_ROLE_SERVER;
    if (r->sample.number && !r->counting) {
        r->counting = true;
        r->open_slice = slice;
    } else if (r->sample.number) {
        write_source(r, now, slice);
    }
    if (r->what[0])
        note(r, now, r->what);
    jst_runner_is_idle(r);
}

static void take_all(uint64_t now, uint64_t slice)
{
    for (unsigned i = 0; i < jst_runner_count; i++)
        if (jst_runner_state_of(&jst_runners[i]) == JST_DONE)
            take(&jst_runners[i], now, slice);
}

/* A source that does not answer is reported once. */
static void note_hung(uint64_t now)
{
    for (unsigned i = 0; i < jst_runner_count; i++) {
        jst_runner *r = &jst_runners[i];
        bool late = jst_runner_state_of(r) == JST_RUNNING;
        if (late && !r->is_late)
            note(r, now, "it did not answer within half a slice; its next record spans the slices");
        r->is_late = late;
    }
}

/* Everything that happens at a boundary. `slice` has begun. */
static void boundary(uint64_t now, uint64_t slice)
{
    jst_file_clock(now);
    take_all(now, slice); /* samples that were too late for the previous boundary */
    jst_runners_ask(now);
    jst_runners_wait(now, jst_cfg.slice_ns / 2);
    take_all(now, slice);
    note_hung(now);
    jst_file_slice(slice);
    if (jst_file_is_of_yesterday(now))
        begin_file(now);
}

/* ---- the loop over slices ---- */

/* Sleeps until the slice ends, or for a second: the clock may be set. True: a signal requests the
 * end. */
static bool sleep_a_little(const sigset_t *ends)
{
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    uint64_t rest = jst_cfg.slice_ns - now % jst_cfg.slice_ns;
    if (rest > NS)
        rest = NS;
    struct timespec t = {(time_t)(rest / NS), (long)(rest % NS)};
    return sigtimedwait(ends, NULL, &t) > 0;
}

/* Late by more than half a slice, after a suspend or under load: most of the content of a record
 * would belong to the slice that has begun, so that the next record spans both. Not twice in a
 * row. */
static bool is_too_late(uint64_t slice, uint64_t now)
{
    return now / jst_cfg.slice_ns == slice + 1 && now % jst_cfg.slice_ns > jst_cfg.slice_ns / 2;
}

static void beat(const sigset_t *ends, uint64_t slice)
{
    uint64_t woken = slice;
    while (!sleep_a_little(ends)) {
        uint64_t now = jst_clock_ns(CLOCK_REALTIME), here = now / jst_cfg.slice_ns;
        jst_file_look(now, role);
        if (here == woken)
            continue;
        woken = here;
        if (is_too_late(slice, now))
            continue;
        boundary(now, here);
        slice = here;
    }
    /* Increases of the slice that has not ended are one more record. */
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    boundary(now, now / jst_cfg.slice_ns + 1);
    jst_file_end(jst_clock_ns(CLOCK_REALTIME));
}

static int cannot(int error, const char *fix)
{
    fprintf(stderr, "jostle-agent: no profile can be kept in %s: %s; %s\n", jst_cfg.spool,
            strerror(-error), fix);
    return 1;
}

static bool starts_programs(const char *without)
{
    for (const jst_source *const *s = jst_sources; *s; s++)
        if ((*s)->program && !jst_list_has(without, (*s)->name) && access((*s)->program, X_OK) == 0)
            return true;
    return false;
}

static bool connects(const char *without)
{
    for (const jst_source *const *s = jst_sources; *s; s++)
        if ((*s)->connects && !jst_list_has(without, (*s)->name) && (*s)->connects())
            return true;
    return false;
}

/* The signal comes when the thread that started us ends, for any reason. */
static bool dies_with(pid_t parent)
{
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent;
}

int jst_sample_machine(const jst_sampling *how)
{
    sigset_t ends;
    role_is_given = how->role >= 0;
    role = role_is_given ? (enum jst_machine_role)how->role : JST_ROLE_NODE;
    if (how->only && !dies_with(how->parent))
        return 1;
    int lock = how->only ? 0 : jst_spool_take(); /* each run has a watcher of its own */
    if (lock == -EWOULDBLOCK) {
        fprintf(stderr,
                "jostle-agent: another sampler writes into %s; one is enough: end one of them\n",
                jst_cfg.spool);
        return 1;
    }
    if (lock < 0)
        return cannot(lock, "set `spool` in the operator's file to a folder of root");
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    /* A watcher keeps the rights of its user: only a process that may trace another may read its
     * bytes. */
    jst_rights_drop(how->only || starts_programs(how->without),
                    !how->only && connects(how->without));
    int error = jst_runners_begin(how->without, how->only);
    if (error < 0) {
        fprintf(stderr, "jostle-agent: no thread could be made: %s\n", strerror(-error));
        return 1;
    }
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    jst_runners_ask(now);
    jst_runners_wait(now, jst_cfg.slice_ns < NS ? jst_cfg.slice_ns : NS);
    /* The start of counting is known before the file is made, and so is the role of the machine. */
    now = jst_clock_ns(CLOCK_REALTIME);
    uint64_t slice = now / jst_cfg.slice_ns;
    take_all(now, slice);
    error = jst_file_begin(role);
    if (error < 0)
        return cannot(error, "is there space?");
    note_absent(now);
    beat(&ends, slice);
    return 0;
}
