/* jst_decode_shorts.c: a file of compact profiles (*.jss): one record per short-lived process of a
 * job. */
#include <stdlib.h>

#include "jst_decode_parts.h"

#define HEADERS_MAX 64 /* versions of the library that one job may have used */
#define RESCUE_COST 16 /* checksummed bytes per byte of the file, in searches for records */

typedef struct header {
    jst_table table;
    uint64_t slice_ns;
    uint32_t event; /* number among the file's events */
} header;

typedef struct shorts {
    header *headers;
    uint32_t count;
    uint64_t rescue; /* bytes that may still be checksummed in such searches */
} shorts;

/* A record whose writer ran out of space is torn; those after it are whole. Finds the next. */
static bool rescue(jst_job *j, shorts *s, uint64_t *at)
{
    jst_record rec;
    for (uint64_t p = *at + 1; p < j->s->size; p++) {
        const uint8_t *b = jst_source_at(j->s, p, 1);
        if (b == NULL)
            return false;
        if (*b != JST_RECORD_SHORTS_HEADER && *b != JST_RECORD_SHORT_PROCESS)
            continue;
        uint64_t front = j->s->size - p < 6 ? j->s->size - p : 6;
        if ((b = jst_source_at(j->s, p, front)) == NULL)
            return false;
        jst_cursor c = {b + 1, b + front};
        uint64_t length = jst_take_varint(&c);
        if (c.p == NULL || length > JST_PAYLOAD_MAX || length > j->s->size - p)
            continue;
        if (s->rescue < length + 8)
            return false;
        s->rescue -= length + 8;
        if (jst_record_at(j->s, p, j->s->size, &rec) == JST_RECORD_GOOD) {
            *at = p;
            return true;
        }
    }
    return false;
}

/* 'H'. NULL, or what is wrong with it. */
static const char *take_header(jst_job *j, shorts *s, const jst_record *rec, uint64_t record)
{
    jst_cursor c = rec->payload;
    uint64_t n[4];
    for (int i = 0; i < 4; i++)
        n[i] = jst_take_varint(&c);
    const uint8_t *boot_id = jst_take_bytes(&c, 16);
    if (boot_id == NULL || n[0] == 0 || n[1] > UINT32_MAX || n[2] > UINT32_MAX || n[3] > UINT32_MAX)
        return "a header of short processes makes no sense";
    if (s->count == HEADERS_MAX)
        return NULL;
    jst_decode_event *e = jst_event_add(j, JST_RECORD_SHORTS_HEADER, record);
    if (e == NULL)
        return NULL;
    uint32_t event = (uint32_t)(j->r->events - 1);
    for (int i = 0; i < 4; i++)
        e->number[i] = n[i];
    for (unsigned i = 0; i < 3; i++)
        jst_event_string(j, e, i, &c);
    jst_event_text(j, e, 3, boot_id, 16);
    uint64_t bytes = jst_take_varint(&c);
    const uint8_t *text = jst_take_bytes(&c, bytes);
    if (text == NULL)
        return "a header of short processes makes no sense";
    header *h = &s->headers[s->count];
    jst_table shape = {.cell_count = (uint32_t)n[1],
                       .slots = (uint32_t)n[2],
                       .stride = (uint32_t)n[3],
                       .text_bytes = (uint32_t)bytes};
    const char *wrong = jst_table_read(&h->table, &shape, text, j->d);
    if (wrong != NULL) {
        jst_table_free(&h->table);
        return wrong;
    }
    h->slice_ns = n[0];
    h->event = event;
    e->number[4] = h->table.crc;
    s->count++;
    return NULL;
}

static const header *header_for(const shorts *s, uint32_t crc)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->headers[i].table.crc == crc)
            return &s->headers[i];
    return NULL;
}

/* The mounts of a 'P', as events of their own. */
static bool take_mounts(jst_job *j, jst_cursor *c, uint64_t record)
{
    uint64_t mounts = jst_take_varint(c);
    if (c->p == NULL || mounts > JST_DECODE_SLOTS_MAX)
        return false;
    for (; mounts > 0; mounts--) {
        jst_decode_event *m = jst_event_add(j, JST_DECODE_EVENT_SHORT_MOUNT, record);
        if (m == NULL)
            return false;
        for (int i = 0; i < 4; i++)
            m->number[i] = jst_take_varint(c);
    }
    return c->p != NULL;
}

/* 'P'. False when it is invalid or memory is short; *foreign when no header fits. */
static bool take_short(jst_job *j, const shorts *s, const jst_record *rec, uint64_t record,
                       bool *foreign)
{
    jst_decode *d = j->d;
    jst_cursor c = rec->payload;
    uint64_t n[8];
    for (int i = 0; i < 8; i++)
        n[i] = jst_take_varint(&c);
    const uint8_t *crc = jst_take_bytes(&c, 4);
    if (crc == NULL)
        return false;
    const header *h = header_for(s, jst_load32(crc));
    *foreign = h == NULL;
    if (h == NULL)
        return true;
    jst_decode_event *e = jst_event_add(j, JST_RECORD_SHORT_PROCESS, record);
    if (e == NULL || !jst_decode_scratch(d, h->table.cell_count))
        return false;
    memcpy(e->number, n, sizeof n);
    e->number[8] = d->tables[JST_DECODE_SLICES].count;
    e->header = h->event;
    jst_event_string(j, e, 0, &c);
    if (!take_mounts(j, &c, record) || !jst_take_cells(&c, &h->table, &d->moved))
        return false;
    uint64_t first = n[5] / h->slice_ns;
    jst_levels_follow(d, &h->table, &d->moved);
    j->no_memory =
        !jst_rows_put(d, &h->table, &d->moved, (int32_t)(-1 - (int64_t)d->short_processes),
                      (int64_t)first, jst_span(first, n[6] / h->slice_ns));
    d->short_processes++;
    return !j->no_memory;
}

/* One round over the file: first the headers, then the processes. */
static void pass(jst_job *j, shorts *s, uint8_t type)
{
    uint64_t at = 0, number = 0;
    jst_record rec;
    for (; at < j->s->size; at = rec.next, number++) {
        uint64_t events = j->d->event_count, from = at;
        bool foreign = false;
        if (jst_record_at(j->s, at, j->s->size, &rec) != JST_RECORD_GOOD) {
            bool found = rescue(j, s, &at);
            if (type == JST_RECORD_SHORT_PROCESS)
                jst_warn(j, from,
                         found ? "a torn record is passed over"
                               : "the end of the file is torn and left out");
            if (!found || jst_record_at(j->s, at, j->s->size, &rec) != JST_RECORD_GOOD)
                return;
        }
        if (type == JST_RECORD_SHORTS_HEADER && rec.type == JST_RECORD_SHORTS_HEADER) {
            const char *wrong = take_header(j, s, &rec, number);
            if (wrong != NULL) {
                jst_events_forget(j, events);
                jst_warn(j, at, wrong);
            }
        }
        if (type == JST_RECORD_SHORT_PROCESS && rec.type == JST_RECORD_SHORT_PROCESS &&
            number >= j->from_record) {
            j->r->complete = !jst_full(j->d);
            if (!j->r->complete)
                return;
            if (!take_short(j, s, &rec, number, &foreign)) {
                jst_events_forget(j, events);
                jst_warn(j, at, "a record makes no sense and is passed over");
            } else if (foreign) {
                jst_warn(j, at,
                         "a short process of another version, whose header is missing, "
                         "is passed over");
            }
        }
        if (j->no_memory)
            return;
        if (type == JST_RECORD_SHORT_PROCESS) {
            j->r->records_read = number + 1;
            j->r->records_end = rec.next;
        }
    }
}

void jst_shorts_read(jst_job *j)
{
    shorts s = {.headers = calloc(HEADERS_MAX, sizeof(header)), .rescue = RESCUE_COST * j->s->size};
    if (s.headers == NULL) {
        j->no_memory = true;
        return;
    }
    pass(j, &s, JST_RECORD_SHORTS_HEADER);
    /* NOTE: the header may not be written yet: nothing counts as read before. */
    if (s.count == 0)
        jst_refuse(j, 0, "no header of short processes in the file (yet)");
    s.rescue = RESCUE_COST * j->s->size;
    if (s.count > 0 && !j->no_memory)
        pass(j, &s, JST_RECORD_SHORT_PROCESS);
    for (uint32_t i = 0; i < s.count; i++)
        jst_table_free(&s.headers[i].table);
    free(s.headers);
}
