/* recorded.h: what a source reports, recorded: stands in for source.c in tests of sources. */
#ifndef JST_RECORDED_H
#define JST_RECORDED_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/source.h"

struct jst_component {
    enum jst_component_kind kind;
    char name[256], source[256], job[256], path[256];
    uint64_t value[JST_COMPONENT_METRICS];
    bool has[JST_COMPONENT_METRICS], unknown[JST_COMPONENT_METRICS];
    uint64_t most[JST_COMPONENT_METRICS]; /* where a counter begins again */
    int epochs;
};

struct jst_sample {
    int used;
    jst_component of[512];
};

const char *jst_root = "";
static jst_sample recorded;

static inline void recorded_text(char to[256], const char *text)
{
    snprintf(to, 256, "%s", text ? text : "");
}

jst_component *jst_component_of(jst_sample *s, const jst_names *names)
{
    const char *job = names->job ? names->job : "";
    for (int i = 0; i < s->used; i++) {
        jst_component *c = &s->of[i];
        if (c->kind == names->kind && !strcmp(c->name, names->name) && !strcmp(c->job, job))
            return c;
    }
    if (s->used == 512)
        abort();
    jst_component *c = &s->of[s->used++];
    c->kind = names->kind;
    recorded_text(c->name, names->name);
    recorded_text(c->source, names->source);
    recorded_text(c->job, job);
    recorded_text(c->path, names->path);
    return c;
}

static inline void recorded_value(jst_component *c, unsigned metric, uint64_t now)
{
    if (c->has[metric] || c->unknown[metric])
        abort(); /* twice in one sample */
    c->has[metric] = true;
    c->value[metric] = now;
}

void jst_counter(jst_component *c, enum jst_component_metric metric, uint64_t now)
{
    recorded_value(c, metric, now);
}

void jst_counter_wraps(jst_component *c, enum jst_component_metric metric, uint64_t now,
                       uint64_t most)
{
    recorded_value(c, metric, now);
    c->most[metric] = most;
}

void jst_level(jst_component *c, enum jst_component_metric metric, uint64_t now)
{
    recorded_value(c, metric, now);
}

void jst_unknown(jst_component *c, enum jst_component_metric metric)
{
    if (c->has[metric])
        abort();
    c->unknown[metric] = true;
}

void jst_new_epoch(jst_component *c)
{
    c->epochs++;
}

/* A sample begins. */
static inline void recorded_clear(void)
{
    memset(&recorded, 0, sizeof recorded);
}

static inline jst_component *recorded_find(enum jst_component_kind kind, const char *name,
                                           const char *job)
{
    for (int i = 0; i < recorded.used; i++) {
        jst_component *c = &recorded.of[i];
        if (c->kind == kind && !strcmp(c->name, name) && !strcmp(c->job, job))
            return c;
    }
    return NULL;
}

/* A file of which reading fails, and how: as devices and groups do that go. */
static const char *recorded_failing = "";
static int recorded_errno;

long jst_read_text(const char *path, char *to, size_t n)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", jst_root, path);
    if (!strcmp(path, recorded_failing))
        return -recorded_errno;
    FILE *f = fopen(whole, "r");
    if (!f)
        return -errno;
    size_t got = fread(to, 1, n - 1, f);
    bool longer = fgetc(f) != EOF;
    fclose(f);
    to[got] = 0;
    return longer ? -EFBIG : (long)got;
}

#endif
