/* jst_decode_rows.c: from the cells of a record to rows in columns. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include <stdlib.h>
#include <sys/mman.h>

#include "jst_decode_parts.h"

#define PAGE 4096u
#define HUGE_PAGE (2u << 20)

bool jst_memory_grow(jst_memory *m, size_t bytes)
{
    if (bytes <= m->bytes)
        return true;
    if (bytes > SIZE_MAX / 2)
        return false;
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    void *p = m->p == NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                           : mremap(m->p, m->bytes, bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED)
        return false;
    if (bytes >= 2 * HUGE_PAGE)
        madvise(p, bytes, MADV_HUGEPAGE);
    *m = (jst_memory){p, bytes};
    return true;
}

void jst_memory_free(jst_memory *m)
{
    if (m->p != NULL)
        munmap(m->p, m->bytes);
    *m = (jst_memory){NULL, 0};
}

bool jst_rows_make(jst_rows *r, uint32_t columns)
{
    *r = (jst_rows){.columns = columns};
    r->widths = calloc(columns, sizeof *r->widths);
    r->data = calloc(columns, sizeof *r->data);
    r->bits = calloc(columns, sizeof *r->bits);
    return r->widths != NULL && r->data != NULL && r->bits != NULL;
}

void jst_rows_free(jst_rows *r)
{
    for (uint32_t i = 0; r->data != NULL && i < r->columns; i++)
        jst_memory_free(&r->data[i]);
    free(r->data);
    free(r->bits);
    free(r->widths);
}

bool jst_rows_reserve(jst_rows *r, uint64_t more)
{
    if (r->capacity - r->count >= more)
        return true;
    uint64_t capacity = r->capacity == 0 ? 512 : r->capacity * 2;
    while (capacity - r->count < more)
        capacity *= 2;
    for (uint32_t i = 0; i < r->columns; i++)
        if (!jst_memory_grow(&r->data[i], capacity / 8 * r->widths[i]))
            return false;
    r->capacity = capacity;
    return true;
}

bool jst_take_cells(jst_cursor *c, const jst_table *t, jst_moved *moved)
{
    const uint8_t *bitmap = jst_take_bytes(c, t->bitmap_bytes);
    uint32_t n = 0;
    if (bitmap == NULL)
        return false;
    for (uint32_t byte = 0; byte < t->bitmap_bytes; byte++) {
        for (unsigned groups = bitmap[byte]; groups != 0; groups &= groups - 1) {
            uint32_t group = byte * 8 + (uint32_t)__builtin_ctz(groups);
            const uint8_t *mask = group < t->group_count ? jst_take_bytes(c, 1) : NULL;
            if (mask == NULL)
                return false;
            for (unsigned bits = *mask; bits != 0; bits &= bits - 1) {
                uint32_t cell = group * 8 + (uint32_t)__builtin_ctz(bits);
                unsigned coding = t->cells[cell].coding;
                uint64_t v;
                if (coding == JST_CODED_NS) {
                    const uint8_t *p = jst_take_bytes(c, 2);
                    v = p == NULL ? 0 : jst_ns_of(p[0] | (unsigned)p[1] << 8);
                } else if (coding != JST_CODED_NOT) {
                    v = jst_take_varint(c);
                    if (coding == JST_CODED_GAUGE)
                        v = (uint64_t)jst_unzigzag(v);
                } else {
                    return false;
                }
                moved->cells[n] = (uint16_t)cell;
                moved->values[n++] = v;
            }
        }
    }
    moved->count = n;
    return c->p != NULL;
}

void jst_levels_follow(jst_decode *d, const jst_table *t, const jst_moved *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (t->cells[m->cells[i]].goal == JST_GOAL_GAUGE)
            d->levels[m->cells[i]] += m->values[i];
}

void jst_fixed_put(jst_rows *r, uint64_t row, int32_t process, int64_t slice, int32_t span)
{
    ((int32_t *)(void *)r->data[JST_DECODE_PROCESS].p)[row] = process;
    jst_values_of(r, JST_DECODE_SLICE)[row] = slice;
    ((int32_t *)(void *)r->data[JST_DECODE_SPAN].p)[row] = span;
}

/* A number, and its bits among those of its column. */
static void put(jst_rows *r, uint32_t column, uint64_t row, int64_t v)
{
    jst_values_of(r, column)[row] = v;
    r->bits[column] |= (uint64_t)v;
}

bool jst_rows_put(jst_decode *d, const jst_table *t, const jst_moved *m, int32_t process,
                  int64_t slice, int32_t span)
{
    jst_rows *rows = &d->tables[JST_DECODE_SLICES];
    jst_rows *mounts = &d->tables[JST_DECODE_MOUNT_SLICES];
    if (!jst_rows_reserve(rows, 1) || !jst_rows_reserve(mounts, t->slots))
        return false;
    uint64_t row = rows->count++;
    uint32_t first_histogram = JST_DECODE_SLICES_FIXED + d->process.count;
    int slot = -1;
    jst_fixed_put(rows, row, process, slice, span);
    for (uint32_t i = 0; i < m->count; i++) {
        const jst_cell *c = &t->cells[m->cells[i]];
        uint64_t v = m->values[i];
        if (c->goal == JST_GOAL_VALUE) {
            put(rows, JST_DECODE_SLICES_FIXED + c->column, row, jst_number(v));
        } else if (c->goal == JST_GOAL_MOUNT && v != 0) {
            if (c->part != slot) {
                slot = c->part;
                jst_fixed_put(mounts, mounts->count, process, slice, span);
                mounts->data[JST_DECODE_SLOT].p[mounts->count++] = c->part;
            }
            put(mounts, JST_DECODE_MOUNT_FIXED + c->column, mounts->count - 1, jst_number(v));
        } else if (c->goal == JST_GOAL_BUCKET && v != 0) {
            uint32_t column = first_histogram + 2 * c->column;
            uint8_t *valid = &rows->data[column + 1].p[row / 8];
            d->histogram_used[c->column] += !(*valid >> row % 8 & 1);
            *valid |= (uint8_t)(1u << row % 8);
            jst_values_of(rows, column)[row * JST_DECODE_BUCKETS + c->part] = jst_number(v);
            d->bucket_bits[c->column * JST_DECODE_BUCKETS + c->part] |= (uint64_t)jst_number(v);
        }
    }
    for (uint32_t i = 0; i < t->gauge_count; i++)
        put(rows, JST_DECODE_SLICES_FIXED + t->cells[t->gauges[i]].column, row,
            (int64_t)d->levels[t->gauges[i]]);
    return true;
}

int32_t jst_span(uint64_t first_slice, uint64_t last_slice)
{
    if (last_slice <= first_slice)
        return 1;
    uint64_t span = last_slice - first_slice;
    return span >= INT32_MAX ? INT32_MAX : (int32_t)span + 1;
}

bool jst_heap_put(jst_decode *d, enum jst_heap heap, jst_rows *r, uint32_t column, const uint8_t *p,
                  uint64_t bytes)
{
    jst_memory *m = &d->heaps[heap];
    uint64_t need = d->heap_bytes[heap] + bytes;
    if (need + 1 > m->bytes && !jst_memory_grow(m, need * 2 + 1))
        return false;
    if (bytes > 0)
        memcpy(m->p + d->heap_bytes[heap], p, bytes);
    d->heap_bytes[heap] = need;
    ((uint32_t *)(void *)r->data[column].p)[r->count + 1] = (uint32_t)need;
    return true;
}

bool jst_heaps_full(const jst_decode *d, uint64_t more)
{
    for (unsigned i = 0; i < JST_HEAP_COUNT; i++)
        if (more > INT32_MAX || d->heap_bytes[i] > INT32_MAX - more)
            return true;
    return false;
}
