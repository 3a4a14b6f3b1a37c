/* lustre_server.c: samples the targets of a Lustre server: requests to each OST and MDT from all
 * its clients. */
#include "lustre.h"

#include <string.h>

typedef struct sampling {
    jst_sample *s;
    enum jst_component_kind kind;
    bool torn;
} sampling;

static void sample_target(void *to, const char *target, int fd)
{
    sampling *now = to;
    char file_system[JST_NAME];
    jst_lustre_totals t;
    if (!jst_lustre_file_system(target, file_system))
        return;
    jst_lustre_read(fd, &t);
    jst_component *c = jst_component_of(
        now->s, &(jst_names){.kind = now->kind, .name = target, .source = file_system});
    jst_lustre_report(c, &t, false);
    now->torn = now->torn || t.torn;
}

static const char *open_targets(void)
{
    const char *none = "no Lustre target";
    const char *missing = jst_lustre_missing("obdfilter", "stats", none);
    return missing ? jst_lustre_missing("mdt", "md_stats", none) : NULL;
}

static const char *sample_targets(jst_sample *s)
{
    sampling now = {.s = s, .kind = JST_KIND_LUSTRE_OST};
    jst_lustre_each("obdfilter", "stats", sample_target, &now);
    now.kind = JST_KIND_LUSTRE_MDT;
    jst_lustre_each("mdt", "md_stats", sample_target, &now);
    return now.torn ? "the statistics of a Lustre target were torn" : NULL;
}

const jst_source jst_source_lustre_server = {
    .name = "lustre server", .open = open_targets, .sample = sample_targets};
