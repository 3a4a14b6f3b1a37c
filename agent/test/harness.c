/* harness.c: runs a source on fixtures (harness.h). */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static void set_root(const char *folder)
{
    static char root[512];
    snprintf(root, sizeof root, "%s/%s", JST_FIXTURES, folder);
    jst_root = root;
}

const char *jst_test_open(const jst_source *source, const char *folder)
{
    set_root(folder);
    return source->open();
}

const char *jst_test_sample(const jst_source *source, jst_sample *s, const char *folder)
{
    set_root(folder);
    jst_sample_begin(s);
    const char *what = source->sample(s);
    jst_sample_end(s);
    return what;
}

static const jst_component *find(const jst_sample *s, enum jst_component_kind kind,
                                 const char *name, const char *job)
{
    for (uint32_t i = 0; i < s->room; i++) {
        const jst_component *c = s->table[i];
        if (c && c->names.kind == kind && strcmp(c->names.name, name) == 0 &&
            (!job || strcmp(c->names.job, job) == 0))
            return c;
    }
    return NULL;
}

const jst_component *jst_test_component(const jst_sample *s, enum jst_component_kind kind,
                                        const char *name, const char *job)
{
    const jst_component *c = find(s, kind, name, job);
    if (!c)
        fail_msg("no component %s", name);
    return c;
}

bool jst_test_present(const jst_sample *s, enum jst_component_kind kind, const char *name)
{
    const jst_component *c = find(s, kind, name, NULL);
    return c && c->seen == s->number;
}

bool jst_test_has(const jst_component *c, enum jst_component_metric metric)
{
    return (c->has & JST_METRIC(metric)) != 0;
}

uint64_t jst_test_number(const jst_component *c, enum jst_component_metric metric)
{
    jst_metrics bit = JST_METRIC(metric);
    if (!((c->known | c->levels) & bit))
        fail_msg("%s: no number of metric %d", c->names.name, (int)metric);
    const jst_value *v = jst_value_of(c, metric);
    return c->levels & bit ? v->gained : v->last;
}

uint64_t jst_test_gained(const jst_component *c, enum jst_component_metric metric)
{
    return c->has & JST_METRIC(metric) ? jst_value_of(c, metric)->gained : 0;
}

bool jst_test_unknown(const jst_component *c, enum jst_component_metric metric)
{
    return (c->unknown & JST_METRIC(metric)) != 0;
}
