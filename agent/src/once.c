/* once.c: prints the sources' samples on this machine, for people and for `jostle doctor`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "once.h"
#include "runner.h"
#include "sys.h"

#define NS UINT64_C(1000000000)
#define SOURCE_WIDTH 16

typedef struct metric {
    char id[48], unit[16];
    bool is_level;
} metric;

static metric metrics[JST_COMPONENT_METRICS];

/* From the table that profiles have: `id kind unit scope cell count`. */
static void read_table(void)
{
    const char *p = jst_component_table;
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++) {
        char kind[16];
        if (sscanf(p, "%47s %15s %15s", metrics[m].id, kind, metrics[m].unit) != 3)
            return;
        metrics[m].is_level = strcmp(kind, "gauge") == 0;
        p = strchr(p, '\n') + 1;
    }
}

static bool sample_twice(const char *without)
{
    jst_cfg.slice_ns = NS;
    if (jst_runners_begin(without, NULL) < 0)
        return false;
    for (int i = 0; i < 2; i++) {
        uint64_t now = jst_clock_ns(CLOCK_REALTIME);
        struct timespec second = {1, 0};
        jst_runners_ask(now);
        jst_runners_wait(now, 5 * NS);
        for (unsigned r = 0; r < jst_runner_count; r++)
            if (i == 0 && jst_runner_state_of(&jst_runners[r]) == JST_DONE)
                jst_runner_is_idle(&jst_runners[r]);
        if (i == 0)
            nanosleep(&second, NULL);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const jst_component *x = *(jst_component *const *)a, *y = *(jst_component *const *)b;
    if (x->names.kind != y->names.kind)
        return x->names.kind < y->names.kind ? -1 : 1;
    int order = strcmp(x->names.name, y->names.name);
    return order ? order : strcmp(x->names.job, y->names.job);
}

/* The components of the newest sample, sorted; NULL: none. */
static jst_component **sorted(const jst_sample *s, unsigned *n)
{
    jst_component **list = calloc(s->count + 1u, sizeof(jst_component *));
    *n = 0;
    for (uint32_t i = 0; list && i < s->room; i++)
        if (s->table[i] && s->table[i]->seen == s->number)
            list[(*n)++] = s->table[i];
    if (list)
        qsort(list, *n, sizeof(jst_component *), by_name);
    return list;
}

/* ---- for people ---- */

static unsigned width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned n = columns ? (unsigned)strtoul(columns, NULL, 10) : 0;
    if (n == 0 && ioctl(1, TIOCGWINSZ, &size) == 0)
        n = size.ws_col;
    return n < 40 ? 80 : n;
}

static void scaled(char *to, size_t n, double v, const char *unit)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P"};
    unsigned i = 0;
    for (; v >= 9999.5 && i < 5; i++)
        v /= 1000;
    snprintf(to, n, v < 10 && i ? "%.1f%s%s" : "%.0f%s%s", v, *unit && !i ? " " : prefixes[i],
             unit);
}

static void put_amount(char *to, size_t n, const metric *m, uint64_t v)
{
    if (strcmp(m->id, "link_rate_bytes") == 0)
        scaled(to, n, (double)v, "B/s");
    else if (strcmp(m->unit, "ns") == 0)
        snprintf(to, n, "%.*f ms", v < 10000000 ? 2 : 0, (double)v / 1e6);
    else if (strcmp(m->unit, "bytes") == 0)
        scaled(to, n, (double)v, "B");
    else if (strcmp(m->unit, "khz") == 0)
        snprintf(to, n, "%.0f MHz", (double)v / 1e3);
    else if (strcmp(m->unit, "uj") == 0)
        snprintf(to, n, "%.2f J", (double)v / 1e6);
    else if (strcmp(m->unit, "uw") == 0)
        snprintf(to, n, "%.1f W", (double)v / 1e6);
    else if (strcmp(m->unit, "mc") == 0)
        snprintf(to, n, "%.1f C", (double)v / 1e3);
    else
        scaled(to, n, (double)v, "");
}

/* Without its unit, which the number shows, and without the group where that is clear. */
static void put_label(char *to, size_t n, const metric *m)
{
    const char *id = m->id;
    if (strncmp(id, "storage_", 8) == 0 || strncmp(id, "link_", 5) == 0)
        id = strchr(id, '_') + 1;
    snprintf(to, n, "%s", id);
    char *end = strrchr(to, '_');
    bool storage_time = end && strcmp(m->unit, "ns") == 0 && strncmp(m->id, "storage_", 8) == 0;
    if (end && strcmp(end + 1, m->unit) == 0 && strcmp(m->unit, "ops") != 0 &&
        strcmp(m->unit, "count") != 0)
        snprintf(end, n - (size_t)(end - to), "%s", storage_time ? " time" : "");
    for (char *p = to; *p; p++)
        if (*p == '_')
            *p = ' ';
}

/* Pieces of text with two spaces between them, broken before the right margin. */
static unsigned column;

static void put_piece(const char *text)
{
    unsigned n = (unsigned)strlen(text);
    if (column > SOURCE_WIDTH && column + 2 + n > width()) {
        printf("\n%*s", SOURCE_WIDTH, "");
        column = SOURCE_WIDTH;
    } else if (column > SOURCE_WIDTH) {
        printf("  ");
        column += 2;
    }
    printf("%s", text);
    column += n;
}

static void print_component(const jst_component *c)
{
    char text[512], label[64], amount[32];
    bool has_path = *c->names.path && strcmp(c->names.path, c->names.name) != 0;
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", c->names.name, *c->names.source ? " of " : "",
             c->names.source, has_path ? " at " : "", has_path ? c->names.path : "",
             *c->names.job ? " for " : "", c->names.job);
    for (char *p = text; *p; p++) /* users that mount choose names */
        if ((unsigned char)*p < 32 || *p == 127)
            *p = '?';
    printf("%*s%s\n%*s", 2, "", text, SOURCE_WIDTH, "");
    column = SOURCE_WIDTH;
    bool any = false;
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++) {
        jst_metrics bit = JST_METRIC(m);
        if (!(c->has & bit) || (metrics[m].is_level && !((c->levels | c->unknown) & bit)))
            continue;
        uint64_t v = jst_value_of(c, m)->gained;
        if (v == 0 && !(c->unknown & bit))
            continue;
        put_label(label, sizeof label, &metrics[m]);
        put_amount(amount, sizeof amount, &metrics[m], v);
        snprintf(text, sizeof text, "%s %s", label, c->unknown & bit ? "not known" : amount);
        put_piece(text);
        any = true;
    }
    printf(any ? "\n" : "nothing in this second\n");
}

/* Words, broken before the right margin and indented. */
static void print_words(const char *text)
{
    char word[160];
    column = SOURCE_WIDTH;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        if (column > SOURCE_WIDTH && column + 1 + n > width()) {
            printf("\n%*s", SOURCE_WIDTH, "");
            column = SOURCE_WIDTH;
        } else if (column > SOURCE_WIDTH) {
            printf(" ");
            column++;
        }
        printf("%s", word);
        column += (unsigned)n;
        p += n + (p[n] == ' ');
    }
    printf("\n");
}

static bool print_source(jst_runner *r)
{
    unsigned n = 0;
    if (jst_runner_state_of(r) == JST_RUNNING) {
        printf("%-*s", SOURCE_WIDTH, r->source->name);
        print_words("no answer for 5 s: a file that it reads hangs");
        return false;
    }
    if (!r->open) {
        printf("%-*s", SOURCE_WIDTH, r->source->name);
        print_words(r->why);
        return true;
    }
    jst_component **list = sorted(&r->sample, &n);
    if (n)
        printf("%s\n", r->source->name);
    else
        printf("%-*s%s\n", SOURCE_WIDTH, r->source->name, r->what[0] ? "" : "nothing at present");
    for (unsigned i = 0; list && i < n; i++)
        print_component(list[i]);
    free(list);
    if (r->what[0]) {
        printf("%*s", SOURCE_WIDTH, "");
        print_words(r->what);
    }
    return !r->what[0];
}

/* ---- for programs ---- */

static void put_json(const char *text)
{
    putchar('"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p == '"' || *p == '\\')
            printf("\\%c", *p);
        else if (*p < 32 || *p >= 127)
            printf("\\u%04x", *p);
        else
            putchar(*p);
    putchar('"');
}

static void put_field(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    put_json(text);
    printf(", ");
}

static void json_component(const jst_component *c)
{
    const char *between = "";
    printf("{");
    put_field("name", c->names.name);
    put_field("source", c->names.source);
    put_field("job", c->names.job);
    put_field("path", c->names.path);
    printf("\"values\": {");
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++) {
        jst_metrics bit = JST_METRIC(m);
        if (!(c->has & bit) || (metrics[m].is_level && !((c->levels | c->unknown) & bit)))
            continue;
        printf("%s\"%s\": ", between, metrics[m].id);
        between = ", ";
        if (c->unknown & bit)
            printf("null");
        else
            printf("%llu", (unsigned long long)jst_value_of(c, m)->gained);
    }
    printf("}}");
}

static bool json_source(jst_runner *r)
{
    bool hangs = jst_runner_state_of(r) == JST_RUNNING;
    unsigned n = 0;
    printf("{");
    put_field("source", r->source->name);
    put_field("absent", hangs || r->open ? "" : r->why);
    put_field("fault", hangs ? "no answer for 5 s: a file that it reads hangs" : r->what);
    printf("\"components\": [");
    jst_component **list = hangs ? NULL : sorted(&r->sample, &n);
    for (unsigned i = 0; list && i < n; i++) {
        printf("%s", i ? ", " : "");
        json_component(list[i]);
    }
    free(list);
    printf("]}");
    return !hangs && !r->what[0];
}

int jst_print_once(const char *without, bool json)
{
    bool good = true;
    read_table();
    if (!sample_twice(without))
        return 1;
    if (json)
        printf("[");
    for (unsigned i = 0; i < jst_runner_count; i++) {
        if (json && i)
            printf(",\n ");
        bool well = json ? json_source(&jst_runners[i]) : print_source(&jst_runners[i]);
        good = good && well;
    }
    if (json)
        printf("]\n");
    fflush(stdout);
    return good ? 0 : 1;
}
