/* jst_decode_job.c: what every part of the decoder reports of the file that is read: events,
 * warnings, the reason why it is refused; and the memory that one profile needs. */
#include <stdlib.h>

#include "jst_decode_parts.h"

bool jst_decode_scratch(jst_decode *d, uint32_t cells)
{
    if (d->scratch_cells < cells) {
        uint32_t room = (cells + 7) / 8 * 8; /* whole groups */
        uint64_t *levels = realloc(d->levels, room * sizeof *levels);
        d->levels = levels != NULL ? levels : d->levels;
        uint64_t *sums = realloc(d->sums, room * sizeof *sums);
        d->sums = sums != NULL ? sums : d->sums;
        uint64_t *committed = realloc(d->committed, room * sizeof *committed);
        d->committed = committed != NULL ? committed : d->committed;
        uint16_t *moved = realloc(d->moved.cells, room * sizeof *moved);
        d->moved.cells = moved != NULL ? moved : d->moved.cells;
        uint64_t *values = realloc(d->moved.values, room * sizeof *values);
        d->moved.values = values != NULL ? values : d->moved.values;
        jst_base_cell *base = realloc(d->base.cells, room * sizeof *base);
        d->base.cells = base != NULL ? base : d->base.cells;
        if (levels == NULL || sums == NULL || committed == NULL || moved == NULL ||
            values == NULL || base == NULL)
            return false;
        d->scratch_cells = room;
    }
    memset(d->levels, 0, cells * sizeof *d->levels);
    d->base.at = 0;
    return true;
}

void jst_warn(jst_job *j, uint64_t offset, const char *text)
{
    if (j->r->warning_count < JST_DECODE_WARNINGS)
        j->r->warnings[j->r->warning_count] = (jst_decode_issue){offset, text};
    if (j->r->warning_count < UINT32_MAX)
        j->r->warning_count++;
}

void jst_refuse(jst_job *j, uint64_t offset, const char *text)
{
    if (j->r->error.text == NULL)
        j->r->error = (jst_decode_issue){offset, text};
}

bool jst_full(const jst_decode *d)
{
    uint64_t rows = 0;
    for (unsigned i = 0; i < JST_DECODE_TABLE_COUNT; i++)
        rows += d->tables[i].count;
    return rows >= d->max_rows;
}

jst_decode_event *jst_event_add(jst_job *j, uint8_t type, uint64_t record)
{
    jst_decode *d = j->d;
    size_t need = (d->event_count + 1) * sizeof(jst_decode_event);
    if (need > d->events.bytes && !jst_memory_grow(&d->events, need * 2)) {
        j->no_memory = true;
        return NULL;
    }
    jst_decode_event *e = (jst_decode_event *)(void *)d->events.p + d->event_count++;
    *e = (jst_decode_event){.type = type, .record = record};
    j->r->events++;
    return e;
}

void jst_events_forget(jst_job *j, uint64_t events)
{
    j->r->events -= j->d->event_count - events;
    j->d->event_count = events;
}

void jst_event_text(jst_job *j, jst_decode_event *e, unsigned n, const uint8_t *p, uint64_t bytes)
{
    jst_decode *d = j->d;
    size_t need = d->text_bytes + bytes;
    if (need > d->text.bytes && !jst_memory_grow(&d->text, need * 2)) {
        j->no_memory = true;
        return;
    }
    if (bytes > 0)
        memcpy(d->text.p + d->text_bytes, p, bytes);
    e->text[n].at = d->text_bytes;
    e->text[n].bytes = bytes;
    d->text_bytes += bytes;
}

void jst_event_string(jst_job *j, jst_decode_event *e, unsigned n, jst_cursor *c)
{
    uint64_t bytes = jst_take_varint(c);
    const uint8_t *p = jst_take_bytes(c, bytes);
    if (p != NULL)
        jst_event_text(j, e, n, p, bytes);
}
