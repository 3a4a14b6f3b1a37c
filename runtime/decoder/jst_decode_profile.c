/* jst_decode_profile.c: one profile (*.jst): its records, and the remainder beyond them. */
#include "jst_decode_parts.h"

static bool keep_history(jst_job *j, uint64_t at)
{
    if (j->r->events < JST_DECODE_HISTORY_MAX)
        return true;
    if (j->r->events == JST_DECODE_HISTORY_MAX) {
        jst_warn(j, at, "more mounts, clock events and notes than 10000: the rest is left out");
        jst_event_add(j, 0, 0); /* so that this is reported once */
    }
    return false;
}

/* 'M', 'C', 'N' and 'K'; a record of an unknown type is skipped. */
static bool take_event(jst_job *j, const jst_record *rec, uint64_t record)
{
    jst_cursor c = rec->payload;
    bool mount = rec->type == JST_RECORD_MOUNT, note = rec->type == JST_RECORD_NOTE;
    bool clock = rec->type == JST_RECORD_CLOCK, component = rec->type == JST_RECORD_COMPONENT;
    unsigned numbers = mount ? 5 : clock || component ? 4 : note ? 1 : 0;
    unsigned texts = mount ? 3 : component ? 4 : note ? 1 : 0;
    if (numbers == 0 || !keep_history(j, rec->next))
        return true;
    jst_decode_event *e = jst_event_add(j, rec->type, record);
    if (e == NULL)
        return false;
    for (unsigned i = 0; i < numbers; i++)
        e->number[i] = jst_take_varint(&c);
    if (clock)
        e->number[3] = (uint64_t)jst_unzigzag(e->number[3]);
    for (unsigned i = 0; i < texts; i++)
        jst_event_string(j, e, i, &c);
    if (component && c.p != NULL && c.p < c.end)
        e->number[4] = jst_take_varint(&c);        /* older agents do not write it */
    if (component && c.p != NULL && c.p < c.end) { /* of a process */
        e->number[5] = jst_take_varint(&c);
        e->number[6] = jst_take_varint(&c);
    }
    return c.p != NULL && !j->no_memory;
}

/* Slices of a process, or of a machine's components. */
static bool has_slices(const jst_job *j, const jst_record *rec)
{
    bool machine = JST_HEADER(j, flags) & 1;
    return machine ? rec->type == JST_RECORD_COMPONENT_SLICES
                   : rec->type == JST_RECORD_SLICE || rec->type == JST_RECORD_SLICE_LIKE;
}

/* A reader that continues in the middle has not read the record on which a later one is based. */
static bool load_base(jst_job *j, uint64_t at, uint64_t end)
{
    jst_decode *d = j->d;
    jst_record rec;
    if (d->base.at == at)
        return true;
    if (jst_record_at(j->s, at, end, &rec) != JST_RECORD_GOOD || rec.type != JST_RECORD_SLICE)
        return false;
    jst_take_varint(&rec.payload);
    jst_take_varint(&rec.payload);
    if (!jst_take_cells(&rec.payload, &d->table, &d->moved))
        return false;
    jst_base_take(&d->base, at, &d->table, &d->moved);
    return true;
}

/* The cells of an 'S' or 'L' record, after its slice and span. RATIONALE: an 'L' record can only be
 * based on the newest 'S' record: so a forged file cannot make the reader go back for each of its
 * records. */
static bool take_cells(jst_job *j, uint8_t type, jst_cursor c, jst_walk *w)
{
    jst_decode *d = j->d;
    if (type == JST_RECORD_SLICE) {
        if (!jst_take_cells(&c, &d->table, &d->moved))
            return false;
        w->base = w->at;
        jst_base_take(&d->base, w->at, &d->table, &d->moved);
        return true;
    }
    uint64_t back = jst_take_varint(&c), first = JST_HEADER(j, head_bytes);
    if (c.p == NULL || back > w->at || w->at - back < first ||
        (w->base != 0 && w->at - back != w->base))
        return false;
    w->base = w->at - back;
    if (d->base.at == w->base)
        return jst_take_like(&c, &d->table, &d->base, &d->moved);
    jst_record rec;
    if (!load_base(j, w->base, w->at) ||
        jst_record_frame(j->s, w->at, w->end, &rec) != JST_RECORD_GOOD)
        return false;
    for (int i = 0; i < 3; i++) /* the window has moved */
        jst_take_varint(&rec.payload);
    return jst_take_like(&rec.payload, &d->table, &d->base, &d->moved);
}

/* The slices that a record covers. */
static bool take_span(jst_cursor *c, const jst_walk *w, uint64_t *slice, uint64_t *span)
{
    *slice = w->expected + (uint64_t)jst_unzigzag(jst_take_varint(c));
    *span = jst_take_varint(c);
    return c->p != NULL && *span != 0 && *span <= INT32_MAX;
}

bool jst_slice_take(jst_job *j, const jst_record *rec, jst_walk *w, uint64_t *slice, uint64_t *span)
{
    jst_cursor c = rec->payload;
    if (!take_span(&c, w, slice, span) || !take_cells(j, rec->type, c, w))
        return false;
    w->expected = *slice + *span;
    return true;
}

/* 'S', 'L' or 'X': returns false when its payload is invalid or memory is short. */
static bool take_slice(jst_job *j, const jst_record *rec, bool wanted, jst_walk *w)
{
    jst_decode *d = j->d;
    uint64_t slice, span;
    if (rec->type == JST_RECORD_COMPONENT_SLICES) {
        jst_cursor c = rec->payload;
        if (!take_span(&c, w, &slice, &span))
            return false;
        w->expected = slice + span;
        return !wanted || jst_components_take(j, &c, (int64_t)slice, (int32_t)span);
    }
    if (!jst_slice_take(j, rec, w, &slice, &span))
        return false;
    if (d->table.gauge_count > 0)
        jst_levels_follow(d, &d->table, &d->moved);
    if (!wanted)
        return true;
    j->no_memory =
        !jst_rows_put(d, &d->table, &d->moved, j->process, (int64_t)slice, (int32_t)span);
    return !j->no_memory;
}

/* A record that is no slice. wanted: whether its rows, if it has some, are requested. */
static bool take_other(jst_job *j, const jst_record *rec, uint64_t number, bool wanted)
{
    if (rec->type == JST_RECORD_TRAFFIC)
        return jst_traffic_take(j, rec->payload, wanted);
    if (rec->type == JST_RECORD_GPU_SLICES)
        return jst_gpus_take(j, rec->payload, wanted);
    if (rec->type == JST_RECORD_COMMUNICATOR)
        return !wanted || jst_communicator_take(j, rec->payload);
    return take_event(j, rec, number);
}

/* Computes levels before the records that are still to be read, from those after them. */
static bool levels_back(jst_job *j, jst_walk w)
{
    jst_decode *d = j->d;
    const jst_table *t = &d->table;
    jst_record rec;
    enum jst_record_state state;
    for (uint32_t i = 0; i < t->gauge_count; i++)
        d->levels[t->gauges[i]] = 0;
    for (; (state = jst_record_at(j->s, w.at, w.end, &rec)) == JST_RECORD_GOOD; w.at = rec.next) {
        if (rec.type != JST_RECORD_SLICE && rec.type != JST_RECORD_SLICE_LIKE)
            continue;
        jst_take_varint(&rec.payload);
        jst_take_varint(&rec.payload);
        if (!take_cells(j, rec.type, rec.payload, &w))
            return false;
        jst_levels_follow(d, t, &d->moved);
    }
    for (uint32_t i = 0; i < t->gauge_count; i++)
        d->levels[t->gauges[i]] = d->committed[t->gauges[i]] - d->levels[t->gauges[i]];
    return state == JST_RECORD_END;
}

/* What the records before the place left behind. */
static bool restore(jst_job *j)
{
    if (j->d->given_bytes == 0)
        return true;
    jst_cursor c = jst_state_given(j, JST_STATE_RECORDS);
    return jst_traffic_restore(j, &c) && jst_gpus_restore(j, &c) && c.p == c.end;
}

/* The same for the next reading; false when it would take too much memory. */
static bool save(jst_job *j)
{
    if (j->traffic == NULL && j->gpus == NULL)
        return true;
    jst_state_begin(j, JST_STATE_RECORDS);
    jst_traffic_save(j);
    jst_gpus_save(j);
    return jst_state_end(j);
}

/* RATIONALE: a reader that follows a growing profile reads it repeatedly, and knows where it
 * stopped. The data there are not trusted: unless all from there on is valid, all of the file is
 * read. */
static bool go_on(jst_job *j, jst_walk *w)
{
    const jst_decode_place *p = &j->d->place;
    if (p->record != j->from_record || p->at < w->at || p->at > w->end)
        return false;
    *w = (jst_walk){.at = p->at, .number = p->record, .expected = p->slice, .end = w->end};
    j->r->resumed = levels_back(j, *w) && restore(j);
    return j->r->resumed;
}

/* RATIONALE: where that place is not known, records that were read before are skipped by their
 * lengths, ten times faster than decoding them; where that does not lead to a valid record, all is
 * read in full. */
static bool hop(jst_job *j, jst_walk *w)
{
    jst_record rec;
    while (w->number < j->from_record) {
        enum jst_record_state state = jst_record_frame(j->s, w->at, w->end, &rec);
        if (state == JST_RECORD_END)
            break;
        if (state != JST_RECORD_GOOD)
            return false;
        if (has_slices(j, &rec)) {
            w->expected += (uint64_t)jst_unzigzag(jst_take_varint(&rec.payload));
            w->expected += jst_take_varint(&rec.payload);
            if (rec.payload.p == NULL)
                return false;
            if (rec.type == JST_RECORD_SLICE)
                w->base = w->at;
        } else if (jst_record_at(j->s, w->at, w->end, &rec) != JST_RECORD_GOOD ||
                   !take_other(j, &rec, w->number, false)) {
            return false;
        }
        w->at = rec.next;
        w->number++;
    }
    return levels_back(j, *w);
}

static void read_records(jst_job *j, const jst_commit_view *c)
{
    const jst_walk begin = {.at = JST_HEADER(j, head_bytes),
                            .expected = JST_HEADER(j, first_slice),
                            .end = c->records_end};
    jst_walk w = begin;
    jst_record rec;
    enum jst_record_state state;
    uint64_t events = j->d->event_count;
    bool again = j->from_record > 0;
    if (again && c->whole && !c->damaged && !c->cut) {
        again = !go_on(j, &w);
        if (again) {
            w = begin;
            jst_traffic_free(j);
            jst_gpus_free(j);
            again = !hop(j, &w);
        }
    }
    if (again) {
        w = begin;
        jst_events_forget(j, events);
        jst_traffic_free(j);
        jst_gpus_free(j);
        memset(j->d->levels, 0, j->d->table.cell_count * sizeof *j->d->levels);
    }
    while ((state = jst_record_at(j->s, w.at, w.end, &rec)) == JST_RECORD_GOOD) {
        bool wanted = w.number >= j->from_record;
        if (wanted && (jst_full(j->d) || jst_heaps_full(j->d, JST_PAYLOAD_MAX))) {
            j->r->complete = 0;
            break;
        }
        events = j->d->event_count;
        if (!(has_slices(j, &rec) ? take_slice(j, &rec, wanted, &w)
                                  : take_other(j, &rec, w.number, wanted))) {
            jst_events_forget(j, events);
            if (!j->no_memory)
                jst_warn(j, w.at, "a record makes no sense: what follows it is left out");
            break;
        }
        w.at = rec.next;
        w.number++;
    }
    j->r->records_end = w.at;
    j->r->records_read = w.number;
    j->sound = state == JST_RECORD_END;
    j->r->next_slice = w.expected;
    j->r->goes_on = (j->sound || !j->r->complete) && save(j);
    if (state == JST_RECORD_BAD)
        jst_warn(j, w.at, "a record fails its checksum: what follows it is left out");
    else if (state == JST_RECORD_CUT)
        jst_warn(j, w.at, "the last record is cut short and left out");
}

/* The last, partial slice: what the live blocks have beyond the records. */
static void take_remainder(jst_job *j, const jst_commit_view *c)
{
    jst_decode *d = j->d;
    const jst_table *t = &d->table;
    uint64_t slice_ns = JST_HEADER(j, slice_ns), tick_ns = JST_HEADER(j, tick_ns);
    bool backwards = false;
    d->moved.count = 0;
    for (uint32_t i = 0; i < t->cell_count; i++) {
        const jst_cell *cell = &t->cells[i];
        uint64_t v = d->sums[i];
        if (v == 0 || cell->coding == JST_CODED_NOT)
            continue;
        if (cell->coding != JST_CODED_GAUGE && v > INT64_MAX) {
            /* NOTE: a timer's thread may add to it while we read its block: it then counts not yet,
             * or twice. */
            backwards |= !cell->timer;
            continue;
        }
        if (cell->timer && (v = jst_ns_of_ticks(v, tick_ns)) == 0)
            continue;
        d->moved.cells[d->moved.count] = (uint16_t)i;
        d->moved.values[d->moved.count++] = v;
    }
    if (backwards)
        jst_warn(j, JST_HEADER(j, block_offset),
                 "counters are behind their commit and are left "
                 "out of the last slice");
    if (d->moved.count == 0)
        return;
    for (uint32_t i = 0; i < t->gauge_count; i++)
        d->levels[t->gauges[i]] = d->committed[t->gauges[i]];
    jst_levels_follow(d, t, &d->moved);
    uint64_t last = j->r->newest_ns / slice_ns;
    j->no_memory = !jst_rows_put(d, t, &d->moved, j->process, (int64_t)c->open_slice,
                                 jst_span(c->open_slice, last));
    j->r->remainder = !j->no_memory;
}

void jst_profile_read(jst_job *j)
{
    jst_commit_view c = {0};
    if (!jst_head_read(j))
        return;
    if (j->flags & JST_DECODE_SEGMENTS) {
        jst_segments_read(j);
        return;
    }
    if (!jst_head_table(j))
        return;
    jst_commit_read(j, &c);
    read_records(j, &c);
    if (j->flags & JST_DECODE_REMAINDER && c.whole) {
        uint64_t end_ns = JST_HEADER(j, end_ns);
        j->r->newest_ns = end_ns != 0 ? end_ns : j->newest_ns;
    }
    if (j->flags & JST_DECODE_REMAINDER && c.whole && !c.damaged && j->r->complete && !j->no_memory)
        take_remainder(j, &c);
    jst_gpus_names(j);
    if (j->flags & JST_DECODE_REMAINDER && j->sound && j->r->complete && !j->no_memory) {
        jst_traffic_remainder(j);
        jst_gpus_remainder(j);
    }
    jst_traffic_free(j);
    jst_gpus_free(j);
    j->r->head_sum = jst_head_sum(j->r->head);
}
