/* jst_decode_table.c: the metric table of a file, prepared for decoding. */
#include <stdlib.h>

#include "jst_decode_parts.h"

bool jst_wanted_set(jst_wanted *w, const char *ids)
{
    size_t bytes = strlen(ids) + 1;
    w->text = malloc(bytes);
    w->ids = calloc(bytes, sizeof *w->ids); /* never more ids than letters */
    if (w->text == NULL || w->ids == NULL)
        return false;
    memcpy(w->text, ids, bytes);
    for (char *p = w->text; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        char *next = p[n] == '\0' ? p + n : p + n + 1;
        p[n] = '\0';
        if (n > 0 && w->count < UINT16_MAX)
            w->ids[w->count++] = p;
        p = next;
    }
    return true;
}

void jst_wanted_free(jst_wanted *w)
{
    free(w->text);
    free(w->ids);
}

static int32_t wanted_find(const jst_wanted *w, const char *id)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (strcmp(w->ids[i], id) == 0)
            return (int32_t)i;
    return -1;
}

bool jst_table_is(const jst_table *t, const jst_table *shape, const uint8_t *text)
{
    return t->text != NULL && t->cell_count == shape->cell_count && t->slots == shape->slots &&
           t->stride == shape->stride && t->text_bytes == shape->text_bytes &&
           memcmp(t->text, text, t->text_bytes) == 0;
}

void jst_table_free(jst_table *t)
{
    free(t->text);
    free(t->cells);
    free(t->gauges);
    memset(t, 0, sizeof *t);
}

/* A line of the table, cut into its six words. */
typedef struct line {
    char *id, *kind, *unit, *scope;
    uint32_t cell, count;
} line;

static bool to_number(const char *text, uint32_t *v)
{
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 6)
        return false;
    *v = (uint32_t)strtoul(text, &end, 10);
    return *end == '\0';
}

static bool cut_line(char *text, line *l)
{
    char *words[6], *save = NULL;
    unsigned n = 0;
    for (char *w = strtok_r(text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
        if (n == 6)
            return false;
        words[n++] = w;
    }
    if (n != 6)
        return false;
    *l = (line){.id = words[0], .kind = words[1], .unit = words[2], .scope = words[3]};
    return to_number(words[4], &l->cell) && to_number(words[5], &l->count);
}

static bool claim(jst_table *t, uint32_t at, jst_cell cell)
{
    if (at >= t->cell_count || t->cells[at].coding != JST_CODED_NOT)
        return false;
    if (cell.goal == JST_GOAL_GAUGE)
        t->gauges[t->gauge_count++] = at;
    t->cells[at] = cell;
    return true;
}

/* An id that the caller did not request, or requested as another kind, is decoded and dropped. */
static jst_cell cell_of(const line *l, const jst_decode *d)
{
    bool mount = strcmp(l->scope, "mount") == 0, component = strcmp(l->scope, "component") == 0;
    bool histogram = strcmp(l->kind, "histogram") == 0, gauge = strcmp(l->kind, "gauge") == 0;
    bool timer = strcmp(l->kind, "timer") == 0;
    jst_cell c = {.coding = JST_CODED_VARINT,
                  .timer = timer,
                  .state = timer && strncmp(l->id, "state_", 6) == 0};
    if (gauge && !component) /* a component's level is written as an absolute value */
        c.coding = JST_CODED_GAUGE;
    else if (timer || (!histogram && strcmp(l->unit, "ns") == 0))
        c.coding = JST_CODED_NS;
    const jst_wanted *w = component   ? &d->components
                          : mount     ? &d->mounts
                          : histogram ? &d->histograms
                                      : &d->process;
    int32_t column = wanted_find(w, l->id);
    /* NOTE: a gauge kept per mount has no column form yet, nor has a histogram. */
    if (column < 0 || (mount && (gauge || histogram)) || (component && histogram) ||
        l->count != (histogram ? JST_DECODE_BUCKETS : 1))
        return c;
    c.column = (uint16_t)column;
    c.goal = component   ? JST_GOAL_COMPONENT
             : mount     ? JST_GOAL_MOUNT
             : histogram ? JST_GOAL_BUCKET
             : gauge     ? JST_GOAL_GAUGE
                         : JST_GOAL_VALUE;
    return c;
}

static const char *add_line(jst_table *t, char *text, const jst_decode *d, uint8_t *seen)
{
    line l;
    if (!cut_line(text, &l))
        return "a line of the metric table is not `id kind unit scope cell count`";
    jst_cell c = cell_of(&l, d);
    bool mount = strcmp(l.scope, "mount") == 0;
    if (c.goal != JST_GOAL_NONE) {
        uint32_t base = mount                          ? 0
                        : c.goal == JST_GOAL_BUCKET    ? 65536
                        : c.goal == JST_GOAL_COMPONENT ? 3 * 65536
                                                       : 131072;
        uint32_t bit = base + c.column;
        if (seen[bit / 8] & 1u << bit % 8)
            return "the metric table names a metric twice";
        seen[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    if (mount && (l.cell > t->stride || l.count > t->stride - l.cell))
        return "a metric lies outside its mount's cells";
    for (uint32_t slot = 0; slot < (mount ? t->slots : 1); slot++)
        for (uint32_t i = 0; i < l.count; i++) {
            c.part = (uint8_t)(mount ? slot : i);
            if (!claim(t, slot * t->stride + l.cell + i, c))
                return "the metric table puts two metrics into one cell, or one outside the block";
        }
    return NULL;
}

const char *jst_table_read(jst_table *t, const jst_table *shape, const uint8_t *text,
                           const jst_decode *d)
{
    *t = (jst_table){.cell_count = shape->cell_count,
                     .slots = shape->slots,
                     .stride = shape->stride,
                     .text_bytes = shape->text_bytes};
    if (t->cell_count == 0 || t->cell_count > JST_DECODE_CELLS_MAX ||
        t->slots > JST_DECODE_SLOTS_MAX || t->text_bytes > JST_DECODE_TABLE_MAX ||
        (uint64_t)t->slots * t->stride > t->cell_count)
        return "the number of cells, mount slots or their stride is out of bounds";
    t->group_count = (t->cell_count + 7) / 8;
    t->bitmap_bytes = (t->group_count + 7) / 8;
    t->crc = jst_decode_crc32(text, t->text_bytes);
    t->text = malloc((size_t)t->text_bytes + 1);
    /* RATIONALE: whole groups, so that a bit beyond cell_count in the last group finds a cell. */
    t->cells = calloc((size_t)t->group_count * 8, sizeof *t->cells);
    t->gauges = calloc(t->cell_count, sizeof *t->gauges);
    char *copy = malloc((size_t)t->text_bytes + 1);
    uint8_t *seen = calloc(4 * 65536 / 8, 1);
    const char *wrong = "out of memory";
    if (t->text != NULL && t->cells != NULL && t->gauges != NULL && copy != NULL && seen != NULL) {
        memcpy(t->text, text, t->text_bytes);
        memcpy(copy, text, t->text_bytes);
        copy[t->text_bytes] = '\0';
        wrong = memchr(copy, '\0', t->text_bytes) != NULL ? "the metric table holds a NUL" : NULL;
        char *save = NULL;
        for (char *l = strtok_r(copy, "\n", &save); l != NULL && wrong == NULL;
             l = strtok_r(NULL, "\n", &save))
            wrong = add_line(t, l, d, seen);
    }
    free(copy);
    free(seen);
    return wrong;
}
