/* jst_decode_components.c: 'X' records: increases of the counters of a machine's components. */
#include "jst_decode_parts.h"

/* One value of a component: into its column, or among the unknown. */
static bool take_value(jst_job *j, jst_cursor *c, uint64_t *next_cell, uint8_t *unknown,
                       unsigned *unknowns)
{
    const jst_table *t = &j->d->table;
    jst_rows *r = &j->d->tables[JST_DECODE_COMPONENT_SLICES];
    uint64_t key = jst_take_varint(c), v = 0;
    uint64_t at = *next_cell + (key >> 1);
    if (c->p == NULL || key >> 1 >= t->cell_count || at >= t->cell_count)
        return false;
    const jst_cell *cell = &t->cells[at];
    *next_cell = at + 1;
    if (cell->coding == JST_CODED_NOT)
        return false;
    if (key & 1) {
        if (cell->goal == JST_GOAL_COMPONENT)
            unknown[(*unknowns)++] = (uint8_t)cell->column;
        return true;
    }
    if (cell->coding == JST_CODED_NS) {
        const uint8_t *p = jst_take_bytes(c, 2);
        v = p == NULL ? 0 : jst_ns_of(p[0] | (unsigned)p[1] << 8);
    } else {
        v = jst_take_varint(c);
    }
    if (cell->goal == JST_GOAL_COMPONENT)
        jst_values_of(r, JST_DECODE_COMPONENT_FIXED + cell->column)[r->count] = jst_number(v);
    return c->p != NULL;
}

/* A row counts once its values are read; one that a damaged record began is cleared. */
static bool take_component(jst_job *j, jst_cursor *c, uint64_t *next, int64_t slice, int32_t span)
{
    jst_rows *r = &j->d->tables[JST_DECODE_COMPONENT_SLICES];
    uint64_t number = *next + jst_take_varint(c), counts = jst_take_varint(c), cell = 0;
    uint8_t unknown[UINT8_MAX];
    unsigned unknowns = 0;
    if (c->p == NULL || number > INT32_MAX || counts >> 1 > j->d->table.cell_count)
        return false;
    *next = number + 1;
    if (!jst_rows_reserve(r, 2)) {
        j->no_memory = true;
        return false;
    }
    bool sound = true;
    for (uint64_t i = 0; i < counts >> 1 && sound; i++)
        sound = take_value(j, c, &cell, unknown, &unknowns);
    if (sound &&
        !jst_heap_put(j->d, JST_HEAP_UNKNOWN, r, JST_DECODE_COMPONENT_UNKNOWN, unknown, unknowns)) {
        j->no_memory = true;
        sound = false;
    }
    if (!sound) {
        for (uint32_t i = JST_DECODE_COMPONENT_FIXED; i < r->columns; i++)
            jst_values_of(r, i)[r->count] = 0;
        return false;
    }
    jst_fixed_put(r, r->count, j->process, slice, span);
    ((int32_t *)(void *)r->data[JST_DECODE_COMPONENT].p)[r->count] = (int32_t)number;
    r->data[JST_DECODE_COMPONENT_EPOCH].p[r->count] = counts & 1;
    r->count++;
    return true;
}

/* Rows of a record that turns out to be damaged are removed: it does not count as read, and they
 * would come again with each reading. Values are cleared, since a row stores only those that it has. */
static void take_back(jst_job *j, uint64_t rows, uint64_t heap)
{
    jst_rows *r = &j->d->tables[JST_DECODE_COMPONENT_SLICES];
    for (uint32_t i = JST_DECODE_COMPONENT_FIXED; i < r->columns && r->count > rows; i++)
        memset(jst_values_of(r, i) + rows, 0, (r->count - rows) * sizeof(int64_t));
    r->count = rows;
    j->d->heap_bytes[JST_HEAP_UNKNOWN] = heap;
}

bool jst_components_take(jst_job *j, jst_cursor *c, int64_t slice, int32_t span)
{
    const uint64_t rows = j->d->tables[JST_DECODE_COMPONENT_SLICES].count;
    const uint64_t heap = j->d->heap_bytes[JST_HEAP_UNKNOWN];
    uint64_t n = jst_take_varint(c), next = 0;
    /* Each component takes two bytes or more: a number beyond that is damage. */
    if (c->p == NULL || n > (uint64_t)(c->end - c->p) / 2)
        return false;
    if (jst_heaps_full(j->d, n * UINT8_MAX)) {
        j->no_memory = true;
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (!take_component(j, c, &next, slice, span)) {
            take_back(j, rows, heap);
            return false;
        }
    }
    return true;
}
