/* lustre_jobs.c: samples each job's requests to each target of a Lustre server (job_stats).
 *
 * A server remembers a job for minutes after its last request, and all of them are in the file:
 * tens of thousands of jobs, tens of megabytes. The file is read as a stream, once a slice. The
 * counts of each job are kept here, at most JOBS of them over all targets; a job is named only in a
 * slice with requests of it. Jobs beyond that are missing, which is reported: the target's own
 * counters include them.
 *
 * A job that was not in the last reading begins at 0: it is new, or returned after the server had
 * forgotten it. In the first reading of a target, and when the last one was not complete, it may be
 * older: then it counts from now on.
 */
#include "lustre.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PLACES 65536 /* a power of two */
#define JOBS (PLACES / 4 * 3)
#define TARGETS 512
#define CELLS (JST_STORAGE_SYNC_NS + 1)
#define MISSED                                                                                     \
    3 /* readings in which a job is not listed before it is forgotten: lists that change while
                    they are read may leave one out */
#define SHARE 50 /* a reading that took t is followed by a pause of 50 t: 2 % of a core */

typedef struct followed {
    uint64_t key; /* of target and id; 0: a free place */
    uint64_t start_s;
    uint32_t seen; /* the reading in which it was listed last */
    bool has_start;
    uint64_t value[CELLS];
} followed;

typedef struct target {
    uint64_t key;
    uint32_t seen;
    bool whole; /* all its jobs were in the last reading, and are followed */
} target;

static struct {
    followed *of;          /* PLACES of them */
    unsigned used, listed; /* places taken; of them in this reading */
    uint32_t reading;
    target targets[TARGETS];
    int64_t rest_until_ns;
} table;

/* One reading of one file. */
typedef struct reading {
    jst_sample *s;
    const char *target;
    char file_system[JST_NAME];
    uint64_t key;
    bool from_zero, whole;
    unsigned left_out; /* jobs for which there was no place */
    bool torn;
} reading;

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static followed *place_of(uint64_t key)
{
    size_t i = key & (PLACES - 1);
    while (table.of[i].key && table.of[i].key != key)
        i = (i + 1) & (PLACES - 1);
    return &table.of[i];
}

/* Frees a place of a table with linear probing: later entries move up. */
static void forget(size_t hole)
{
    for (size_t i = (hole + 1) & (PLACES - 1); table.of[i].key; i = (i + 1) & (PLACES - 1)) {
        size_t home = table.of[i].key & (PLACES - 1);
        if (((i - home) & (PLACES - 1)) >= ((i - hole) & (PLACES - 1))) {
            table.of[hole] = table.of[i];
            hole = i;
        }
    }
    table.of[hole].key = 0;
    table.used--;
}

static void forget_the_gone(void)
{
    for (size_t i = 0; i < PLACES && table.listed < table.used; i++)
        while (table.of[i].key && table.reading - table.of[i].seen >= MISSED)
            forget(i);
}

/* Whether the counters of a job began again since the last reading. */
static bool began_anew(const followed *f, const jst_lustre_totals *t)
{
    bool unknown;
    if (f->has_start && t->has_start && f->start_s != t->start_s)
        return true;
    for (unsigned m = 0; m < CELLS; m++)
        if (jst_lustre_known(t, (enum jst_component_metric)m, &unknown) &&
            t->value[m] < f->value[m])
            return true;
    return false;
}

/* Updates a job, and names it when it has new requests. */
static void follow(reading *r, followed *f, const char *id, const jst_lustre_totals *t)
{
    char name[JST_LUSTRE_ID + 8];
    jst_component *c = NULL;
    bool unknown;
    if (began_anew(f, t))
        memset(f->value, 0, sizeof f->value);
    for (unsigned m = 0; m < CELLS; m++) {
        bool known = jst_lustre_known(t, (enum jst_component_metric)m, &unknown);
        if ((known && t->value[m] == f->value[m]) || (!known && !unknown))
            continue;
        if (!c)
            c = jst_component_of(r->s, &(jst_names){.kind = JST_KIND_LUSTRE_JOB,
                                                    .name = r->target,
                                                    .source = r->file_system,
                                                    .job = jst_lustre_job_name(id, name)});
        if (known)
            jst_increase(c, (enum jst_component_metric)m, t->value[m] - f->value[m]);
        else
            jst_unknown(c, (enum jst_component_metric)m);
        if (known)
            f->value[m] = t->value[m];
    }
    f->has_start = t->has_start;
    f->start_s = t->start_s;
}

static void take_job(void *to, const char *id, const jst_lustre_totals *t)
{
    reading *r = to;
    uint64_t key = jst_lustre_hash(r->key, id);
    followed *f = place_of(key);
    if (f->key && f->seen == table.reading)
        return; /* listed twice: the list changed while it was read */
    if (f->key) {
        follow(r, f, id, t);
    } else if (table.used == JOBS) {
        r->left_out++;
        r->whole = false;
        return;
    } else if (t->torn) {
        r->whole = false;
        return;
    } else {
        memset(f, 0, sizeof *f);
        f->key = key;
        table.used++;
        if (r->from_zero) {
            follow(r, f, id, t);
        } else {
            memcpy(f->value, t->value, sizeof f->value);
            f->has_start = t->has_start;
            f->start_s = t->start_s;
        }
    }
    f->seen = table.reading;
    table.listed++;
}

static target *target_of(uint64_t key)
{
    target *free_place = NULL;
    for (int i = 0; i < TARGETS; i++) {
        target *t = &table.targets[i];
        if (t->key == key)
            return t;
        if (!free_place && (!t->key || table.reading - t->seen > 1))
            free_place = t;
    }
    if (free_place)
        *free_place = (target){.key = key};
    return free_place;
}

/* Reads the file to its end. Returns false where that failed. */
static bool stream(int fd, reading *r)
{
    static char text[65536];
    static jst_lustre_jobs p;
    long n;
    jst_lustre_jobs_begin(&p, take_job, r);
    while ((n = read(fd, text, sizeof text)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            jst_lustre_jobs_feed(&p, text, (size_t)n);
    /* The job at which reading failed may lack lines. */
    return n == 0 && jst_lustre_jobs_end(&p);
}

static void sample_target(void *to, const char *entry, int fd)
{
    reading *r = to;
    if (!jst_lustre_file_system(entry, r->file_system))
        return;
    r->target = entry;
    r->key = jst_lustre_hash(0, entry);
    target *t = target_of(r->key);
    if (!t)
        return;
    r->from_zero = t->whole && t->seen == table.reading - 1;
    r->whole = true;
    if (!stream(fd, r)) {
        r->whole = false;
        r->torn = true;
    }
    t->whole = r->whole;
    t->seen = table.reading;
}

static const char *open_jobs(void)
{
    const char *none = "no job_stats of a Lustre target";
    const char *missing = jst_lustre_missing("obdfilter", "job_stats", none);
    if (missing)
        missing = jst_lustre_missing("mdt", "job_stats", none);
    if (missing || table.of)
        return missing;
    void *memory = mmap(NULL, PLACES * sizeof *table.of, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return "no memory for the jobs of Lustre targets";
    table.of = memory;
    return NULL;
}

static void rest(void)
{
    int64_t left = table.rest_until_ns - clock_ns(CLOCK_MONOTONIC);
    if (left > 0)
        nanosleep(&(struct timespec){left / 1000000000, left % 1000000000}, NULL);
}

static const char *sample_jobs(jst_sample *s)
{
    reading r = {.s = s};
    rest();
    int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    table.reading++;
    table.listed = 0;
    jst_lustre_each("obdfilter", "job_stats", sample_target, &r);
    jst_lustre_each("mdt", "job_stats", sample_target, &r);
    forget_the_gone();
    table.rest_until_ns =
        clock_ns(CLOCK_MONOTONIC) + (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) * SHARE;
    if (r.left_out)
        return "a Lustre server lists more jobs than are followed: the rest is in its targets' "
               "counters";
    return r.torn ? "a job_stats of Lustre could not be read to its end" : NULL;
}

const jst_source jst_source_lustre_jobs = {
    .name = "lustre jobs", .open = open_jobs, .sample = sample_jobs};
