/* component.c: converts the absolute numbers of sources to increases. Pure: no system call except
 * for memory.
 */
#include <stdlib.h>
#include <string.h>

#include "component.h"

const char *jst_serves = "";
const char *jst_serves_by = NULL;

#define FIRST_ROOM 16
#define PATIENCE 64 /* samples for which the numbers of a component that is gone are kept */

/* Where there is no memory, numbers go here. */
static jst_component nowhere;

/* One process is a component for each set of cores that it was seen on. */
static const char *cores_of(const jst_names *n)
{
    return n->kind == JST_KIND_PROCESS ? n->source : "";
}

static uint32_t hash_of(const jst_names *n)
{
    uint32_t hash = 0x811c9dc5u ^ (uint32_t)n->kind;
    const char *const texts[3] = {n->name, n->job, cores_of(n)};
    for (unsigned i = 0; i < 3; i++) {
        for (const char *p = texts[i]; *p; p++)
            hash = (hash ^ (uint8_t)*p) * 0x01000193u;
        hash = (hash ^ 0xff) * 0x01000193u;
    }
    return (hash ^ n->pid) * 0x01000193u;
}

static bool is_called(const jst_component *c, const jst_names *n, uint32_t hash)
{
    return c->hash == hash && c->names.kind == n->kind && c->names.pid == n->pid &&
           strcmp(c->names.name, n->name) == 0 && strcmp(c->names.job, n->job) == 0 &&
           strcmp(cores_of(&c->names), cores_of(n)) == 0;
}

/* The place of a component in the table, or the free one where it belongs. */
static jst_component **place_of(const jst_sample *s, const jst_names *n, uint32_t hash)
{
    uint32_t at = hash & (s->room - 1);
    while (s->table[at] && !is_called(s->table[at], n, hash))
        at = (at + 1) & (s->room - 1);
    return &s->table[at];
}

static void free_component(jst_component *c)
{
    free(c->values);
    free(c);
}

/* Moves all components into a table of `room` places; frees those that `keep` rejects. */
static bool rebuild(jst_sample *s, uint32_t room,
                    bool (*keep)(const jst_sample *, const jst_component *))
{
    jst_component **old = s->table;
    uint32_t places = s->room;
    jst_component **table = room ? calloc(room, sizeof(jst_component *)) : NULL;
    if (!table)
        return false;
    s->table = table;
    s->room = room;
    s->count = 0;
    for (uint32_t i = 0; i < places; i++) {
        jst_component *c = old[i];
        if (c && (!keep || keep(s, c))) {
            *place_of(s, &c->names, c->hash) = c;
            s->count++;
        } else if (c) {
            free_component(c);
        }
    }
    free(old);
    return true;
}

/* Names and their texts in one piece of memory. */
static jst_component *make(const jst_names *n, uint32_t hash)
{
    const char *const texts[4] = {n->name, n->source, n->job, n->path};
    size_t bytes[4], all = sizeof(jst_component);
    for (unsigned i = 0; i < 4; i++)
        all += bytes[i] = strlen(texts[i]) + 1;
    jst_component *c = calloc(1, all);
    if (!c)
        return NULL;
    char *p = (char *)(c + 1);
    const char *copy[4];
    for (unsigned i = 0; i < 4; i++) {
        copy[i] = memcpy(p, texts[i], bytes[i]);
        p += bytes[i];
    }
    c->names = *n;
    c->names.name = copy[0];
    c->names.source = copy[1];
    c->names.job = copy[2];
    c->names.path = copy[3];
    c->hash = hash;
    return c;
}

/* Its resource is known only now: it is described with it from here on. */
static jst_component *renamed(jst_component **place, const jst_names *n)
{
    jst_component *c = *place, *fresh = make(n, c->hash);
    if (!fresh)
        return c;
    jst_names names = fresh->names;
    *fresh = *c;
    fresh->names = names;
    fresh->file = 0;
    free(c);
    return *place = fresh;
}

static bool is_wanted(const jst_sample *s, const jst_component *c)
{
    return s->number - c->seen <= PATIENCE || jst_component_gained(c);
}

/* At the limit only components of this sample or the one before are kept. */
static bool is_present(const jst_sample *s, const jst_component *c)
{
    return s->number - c->seen <= 1 || jst_component_gained(c);
}

static bool has_room(jst_sample *s)
{
    if (s->count >= JST_SOURCE_COMPONENTS && !s->swept) {
        s->swept = true;
        rebuild(s, s->room, is_present);
    }
    return s->count < JST_SOURCE_COMPONENTS;
}

static void is_named(jst_sample *s, jst_component *c)
{
    if (c->seen != s->number) {
        c->seen = s->number;
        c->levels = 0;
        c->members[1] = c->members[0];
        c->members[0] = 0;
    }
    c->members[0]++;
}

static jst_component *add(jst_sample *s, const jst_names *n, uint32_t hash)
{
    if (s->count * 2 >= s->room && !rebuild(s, s->room ? 2 * s->room : FIRST_ROOM, NULL))
        return NULL;
    jst_component *c = make(n, hash);
    if (!c)
        return NULL;
    *place_of(s, n, hash) = c;
    s->count++;
    c->fresh = n->from_zero && s->number > 1;
    return c;
}

static bool stands_behind_mounts(const jst_names *n)
{
    if (n->kind != JST_KIND_DISK && n->kind != JST_KIND_INTERFACE && n->kind != JST_KIND_NFS_SERVER)
        return false;
    for (const char *p = jst_serves_by; p && *p;) {
        size_t length = strcspn(p, ",");
        if (strlen(n->name) == length && strncmp(n->name, p, length) == 0)
            return true;
        p += length + (p[length] == ',');
    }
    return jst_serves_by == NULL;
}

jst_component *jst_component_of(jst_sample *s, const jst_names *names)
{
    jst_names n = *names;
    n.name = n.name ? n.name : "";
    n.source = n.source ? n.source : stands_behind_mounts(&n) ? jst_serves : "";
    n.job = n.job ? n.job : "";
    n.path = n.path ? n.path : "";
    uint32_t hash = hash_of(&n);
    jst_component **place = s->room ? place_of(s, &n, hash) : NULL, *c = place ? *place : NULL;
    if (c && *n.source && !*c->names.source)
        c = renamed(place, &n);
    if (!c && !has_room(s)) {
        n = (jst_names){.kind = n.kind, .name = "others", .source = "", .job = "", .path = ""};
        hash = hash_of(&n);
        c = *place_of(s, &n, hash);
        if (!c && (c = add(s, &n, hash)))
            c->others = true;
    } else if (!c) {
        c = add(s, &n, hash);
    }
    if (!c)
        return &nowhere;
    is_named(s, c);
    return c;
}

static unsigned count_of(jst_metrics set)
{
    return (unsigned)(__builtin_popcountll((uint64_t)set) +
                      __builtin_popcountll((uint64_t)(set >> 64)));
}

jst_value *jst_value_of(const jst_component *c, unsigned metric)
{
    return &c->values[count_of(c->has & (JST_METRIC(metric) - 1))];
}

/* The value of a metric, made where there is none; NULL: there is no memory. */
static jst_value *value_for(jst_component *c, unsigned metric)
{
    if (c == &nowhere)
        return NULL;
    if (!(c->has & JST_METRIC(metric))) {
        unsigned n = count_of(c->has);
        jst_value *values = n % 4 ? c->values : realloc(c->values, (n + 4) * sizeof *values);
        if (!values)
            return NULL;
        c->values = values;
        jst_value *v = jst_value_of(c, metric);
        memmove(v + 1, v, (size_t)(values + n - v) * sizeof *v);
        *v = (jst_value){0, 0, 0};
        c->has |= JST_METRIC(metric);
    }
    return jst_value_of(c, metric);
}

/* The increase up to now; `wraps`: the range after which a counter begins again, 0: it does not. */
static void count(jst_component *c, unsigned metric, jst_value *v, uint64_t now, uint64_t most)
{
    if (!(c->known & JST_METRIC(metric))) {
        if (c->lost & JST_METRIC(metric))
            c->unknown |= JST_METRIC(metric);
        else if (c->fresh)
            v->gained += now;
        c->known |= JST_METRIC(metric);
        c->lost &= ~JST_METRIC(metric);
    } else if (now >= v->last) {
        v->gained += now - v->last;
    } else if (most) {
        v->gained += most - v->last + now + 1;
    } else {
        v->gained += now;
        c->epoch = true;
    }
    v->last = now;
}

void jst_counter(jst_component *c, enum jst_component_metric metric, uint64_t now)
{
    jst_value *v = value_for(c, metric);
    if (v && c->others)
        v->sum += now;
    else if (v)
        count(c, metric, v, now, 0);
}

void jst_increase(jst_component *c, enum jst_component_metric metric, uint64_t by)
{
    jst_value *v = value_for(c, metric);
    if (!v)
        return;
    v->gained += by;
    c->added |= JST_METRIC(metric);
}

void jst_counter_wraps(jst_component *c, enum jst_component_metric metric, uint64_t now,
                       uint64_t most)
{
    jst_value *v = value_for(c, metric);
    if (!v)
        return;
    bool back = (c->known & JST_METRIC(metric)) && now < v->last;
    if (c->others)
        v->sum += now;
    else if (now > most || (back && v->last > most))
        jst_unknown(c, metric); /* where it begins again is not known, or wrong */
    else /* no device gains nearly its whole range between two samples: it is another device now */
        count(c, metric, v, now, back && v->last - now < most / 4 ? 0 : most);
}

void jst_level(jst_component *c, enum jst_component_metric metric, uint64_t now)
{
    jst_value *v = value_for(c, metric);
    if (!v)
        return;
    v->gained = c->others && (c->levels & JST_METRIC(metric)) ? v->gained + now : now;
    c->levels |= JST_METRIC(metric);
}

void jst_unknown(jst_component *c, enum jst_component_metric metric)
{
    if (!value_for(c, metric))
        return;
    c->known &= ~JST_METRIC(metric);
    c->lost |= JST_METRIC(metric);
    c->unknown |= JST_METRIC(metric);
}

void jst_since(jst_component *c, uint64_t start)
{
    if (c == &nowhere || c->others)
        return;
    if (c->has_start && c->start != start) {
        c->epoch = true;
        for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++)
            if (c->known & JST_METRIC(m))
                jst_value_of(c, m)->last = 0;
    }
    c->has_start = true;
    c->start = start;
}

void jst_gained_since(jst_component *c, uint64_t first)
{
    if (c != &nowhere && !c->others && (c->first == 0 || first < c->first))
        c->first = first;
}

/* Sums of others are compared only while the same number of components is in them. */
static void end_others(jst_component *c)
{
    bool same = c->members[0] == c->members[1];
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++) {
        if (!(c->has & ~c->added & JST_METRIC(m)) || jst_component_code[m] == 'G')
            continue;
        jst_value *v = jst_value_of(c, m);
        if ((c->known & JST_METRIC(m)) && same && v->sum >= v->last)
            v->gained += v->sum - v->last;
        else if (c->known & JST_METRIC(m))
            c->unknown |= JST_METRIC(m);
        c->known |= JST_METRIC(m);
        v->last = v->sum;
        v->sum = 0;
    }
}

void jst_sample_begin(jst_sample *s)
{
    s->number++;
    s->swept = false;
}

void jst_sample_end(jst_sample *s)
{
    bool old = false;
    for (uint32_t i = 0; i < s->room; i++) {
        jst_component *c = s->table[i];
        if (!c)
            continue;
        c->fresh = false;
        if (c->seen != s->number)
            c->levels = 0;
        else if (c->others)
            end_others(c);
        old = old || !is_wanted(s, c);
    }
    if (old)
        rebuild(s, s->room, is_wanted);
}

bool jst_component_gained(const jst_component *c)
{
    if (c->unknown || c->epoch)
        return true;
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++) {
        jst_metrics bit = JST_METRIC(m);
        if (!(c->has & bit) || (jst_component_code[m] == 'G' && !(c->levels & bit)))
            continue;
        if (jst_value_of(c, m)->gained >= (jst_component_code[m] == 'T' ? JST_NS_LEAST : 1))
            return true;
    }
    return false;
}

void jst_sample_free(jst_sample *s)
{
    for (uint32_t i = 0; i < s->room; i++)
        if (s->table[i])
            free_component(s->table[i]);
    free(s->table);
    *s = (jst_sample){0};
}
