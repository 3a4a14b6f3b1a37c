/* fuzz_lustre.c: fuzzes the parsers of stats and job_stats of Lustre; the names of jobs in them are
 * their users' choice. Results do not depend on where a reading ends. */
#include <stdlib.h>
#include <string.h>

#include "sources/file_systems/lustre_stats.h"

typedef struct seen {
    uint64_t jobs, sum;
} seen;

static void take_job(void *to, const char *id, const jst_lustre_totals *t)
{
    seen *s = to;
    char name[JST_LUSTRE_ID + 8];
    bool unknown;
    if (strlen(id) >= JST_LUSTRE_ID || strlen(jst_lustre_job_name(id, name)) >= sizeof name)
        abort();
    s->jobs++;
    for (unsigned m = 0; m < JST_LUSTRE_CELLS; m++)
        if (jst_lustre_known(t, (enum jst_component_metric)m, &unknown))
            s->sum = s->sum * 31 + t->value[m];
}

static bool stream(const uint8_t *data, size_t size, size_t step, seen *s)
{
    static jst_lustre_jobs p;
    *s = (seen){0};
    jst_lustre_jobs_begin(&p, take_job, s);
    for (size_t at = 0; at < size; at += step)
        jst_lustre_jobs_feed(&p, (const char *)data + at, size - at < step ? size - at : step);
    return jst_lustre_jobs_end(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jst_lustre_totals t = {0};
    size_t used = jst_lustre_stats((const char *)data, size, &t);
    if (used > size || (used < size && memchr(data + used, '\n', size - used)))
        abort();
    seen whole, pieces;
    bool good = stream(data, size, size + 1, &whole);
    if (stream(data, size, 1 + size % 61, &pieces) != good || pieces.jobs != whole.jobs ||
        pieces.sum != whole.sum)
        abort();
    return 0;
}
