/* lustre_stats.h: the parser of the text of Lustre's statistics (2.10 to 2.17): `stats` and
 * `md_stats` of clients and servers, and `job_stats` of servers.
 *
 * The names of operations are the same everywhere, so one table has the kind of each. Operations
 * that it does not name count as metadata operations, unless their unit is bytes: Lustre adds some
 * with every version. Invalid values are unknown: a sum that is saturated at INT64_MAX, a negative
 * number, an incomplete line.
 */
#ifndef JST_LUSTRE_STATS_H
#define JST_LUSTRE_STATS_H

#include "source.h"

#define JST_LUSTRE_CELLS (JST_STORAGE_WAIT_OPS + 1) /* the metrics that Lustre can have */
#define JST_LUSTRE_ID 128                           /* bytes of a job's id, its NUL included */

/* The counts of one component since its counters began. */
typedef struct jst_lustre_totals {
    uint64_t value[JST_LUSTRE_CELLS];
    uint32_t unknown;         /* bits of metrics: there was a number, but it is not usable */
    uint32_t timed, timeless; /* bits of times: operations with and without a time were counted */
    uint64_t start_s;         /* start_time in whole seconds of whatever clock */
    bool has_start;           /* there was a start_time */
    bool torn;                /* the text ends within a line, or has a line that is none */
} jst_lustre_totals;

/** Adds the whole lines of a `stats` or `md_stats` text of n bytes to t, which was zero. Returns
 *  the bytes of these lines: the rest begins a line. */
size_t jst_lustre_stats(const char *text, size_t n, jst_lustre_totals *t);

/** Whether the metric has a number; else *unknown is whether one should be there. A time of
 *  operations that have none (before 2.14) is neither. */
bool jst_lustre_known(const jst_lustre_totals *t, enum jst_component_metric metric, bool *unknown);

/** Reports all metrics to a component; waits: also those of waiting for answers (osc, mdc). */
void jst_lustre_report(jst_component *c, const jst_lustre_totals *t, bool waits);

/* ---- job_stats ------------------------------------------------------------------------------ */

/* A job_stats file read as a stream. Only one line and one job are kept. */
typedef struct jst_lustre_jobs {
    /* Called for each job that was read whole. The id is unescaped, not yet the name of a batch job. */
    void (*job)(void *to, const char *id, const jst_lustre_totals *t);
    void *to;
    jst_lustre_totals totals;
    char id[JST_LUSTRE_ID];
    bool in_job;
    bool cut; /* the line is longer than `line`: its end is left out */
    size_t used;
    char line[1024];
} jst_lustre_jobs;

void jst_lustre_jobs_begin(jst_lustre_jobs *p,
                           void (*job)(void *to, const char *id, const jst_lustre_totals *t),
                           void *to);
void jst_lustre_jobs_feed(jst_lustre_jobs *p, const char *text, size_t n);
/** The end of the file. Returns false, and leaves the last job out, where it ends within a line. */
bool jst_lustre_jobs_end(jst_lustre_jobs *p);

/** The name of the batch job: "slurm-ID" for an id of digits, else the id. */
const char *jst_lustre_job_name(const char *id, char to[JST_LUSTRE_ID + 8]);

#endif
