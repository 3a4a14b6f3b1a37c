/* jst_decode.c: a batch of files that is decoded to columns. */
#include <stdlib.h>
#include <sys/stat.h>

#include "jst_decode_parts.h"

uint32_t jst_decode_api(void)
{
    return JST_DECODE_API;
}

static bool set_widths(jst_decode *d)
{
    jst_rows *s = &d->tables[JST_DECODE_SLICES], *m = &d->tables[JST_DECODE_MOUNT_SLICES];
    uint32_t numbers = JST_DECODE_SLICES_FIXED + d->process.count;
    if (!jst_rows_make(s, numbers + 2 * d->histograms.count) ||
        !jst_rows_make(m, JST_DECODE_MOUNT_FIXED + d->mounts.count))
        return false;
    for (uint32_t i = 0; i < s->columns; i++)
        s->widths[i] = i < numbers ? 64 : (i - numbers) % 2 == 0 ? 64 * JST_DECODE_BUCKETS : 1;
    for (uint32_t i = 0; i < m->columns; i++)
        m->widths[i] = 64;
    s->widths[JST_DECODE_PROCESS] = m->widths[JST_DECODE_PROCESS] = 32;
    s->widths[JST_DECODE_SPAN] = m->widths[JST_DECODE_SPAN] = 32;
    m->widths[JST_DECODE_SLOT] = 8;
    return true;
}

static bool set_component_widths(jst_decode *d)
{
    jst_rows *r = &d->tables[JST_DECODE_COMPONENT_SLICES];
    if (d->components.count > UINT8_MAX ||
        !jst_rows_make(r, JST_DECODE_COMPONENT_FIXED + d->components.count))
        return false;
    for (uint32_t i = 0; i < r->columns; i++)
        r->widths[i] = 64;
    r->widths[JST_DECODE_PROCESS] = r->widths[JST_DECODE_SPAN] = 32;
    r->widths[JST_DECODE_COMPONENT] = r->widths[JST_DECODE_COMPONENT_UNKNOWN] = 32;
    r->widths[JST_DECODE_COMPONENT_EPOCH] = 8;
    return true;
}

static bool set_segment_widths(jst_decode *d)
{
    jst_rows *s = &d->tables[JST_DECODE_SEGMENT_ROWS], *t = &d->tables[JST_DECODE_TOKENS];
    jst_rows *p = &d->tables[JST_DECODE_PEERS];
    if (!jst_rows_make(s, JST_DECODE_SEGMENT_COLUMNS) ||
        !jst_rows_make(t, JST_DECODE_TOKEN_COLUMNS) || !jst_rows_make(p, JST_DECODE_PEER_COLUMNS))
        return false;
    for (uint32_t i = 0; i < s->columns; i++)
        s->widths[i] = 64;
    for (uint32_t i = 0; i < t->columns; i++)
        t->widths[i] = 64;
    for (uint32_t i = 0; i < p->columns; i++)
        p->widths[i] = 64;
    s->widths[JST_DECODE_SEGMENT_PROCESS] = s->widths[JST_DECODE_SEGMENT_TOKEN] = 32;
    s->widths[JST_DECODE_SEGMENT_SUM] = 32;
    s->widths[JST_DECODE_SEGMENT_SEQUENCE] = 16;
    s->widths[JST_DECODE_SEGMENT_RULE] = s->widths[JST_DECODE_SEGMENT_LEVEL] = 8;
    s->widths[JST_DECODE_SEGMENT_SHIFT] = 8;
    s->widths[JST_DECODE_SEGMENT_WAIT] = s->widths[JST_DECODE_SEGMENT_OFFCPU] = 32;
    t->widths[JST_DECODE_TOKEN_PROCESS] = t->widths[JST_DECODE_TOKEN_HASH] = 32;
    t->widths[JST_DECODE_TOKEN_FUNCTION] = t->widths[JST_DECODE_TOKEN_MODULE] = 32;
    p->widths[JST_DECODE_PEER_PROCESS] = 32;
    return true;
}

static bool set_traffic_widths(jst_decode *d)
{
    static const uint32_t columns[] = {
        [JST_DECODE_PEER_SLICES] = JST_DECODE_PEER_SLICE_COLUMNS,
        [JST_DECODE_COLLECTIVE_SLICES] = JST_DECODE_COLLECTIVE_COLUMNS,
        [JST_DECODE_COMMUNICATORS] = JST_DECODE_COMMUNICATOR_COLUMNS,
        [JST_DECODE_GPU_SLICES] = JST_DECODE_GPU_SLICE_COLUMNS,
    };
    for (unsigned t = JST_DECODE_PEER_SLICES; t <= JST_DECODE_GPU_SLICES; t++) {
        jst_rows *r = &d->tables[t];
        if (!jst_rows_make(r, columns[t]))
            return false;
        for (uint32_t i = 0; i < r->columns; i++)
            r->widths[i] = 64;
        r->widths[JST_DECODE_PROCESS] = 32;
    }
    d->tables[JST_DECODE_PEER_SLICES].widths[JST_DECODE_SPAN] = 32;
    d->tables[JST_DECODE_COLLECTIVE_SLICES].widths[JST_DECODE_SPAN] = 32;
    d->tables[JST_DECODE_GPU_SLICES].widths[JST_DECODE_SPAN] = 32;
    d->tables[JST_DECODE_COLLECTIVE_SLICES].widths[JST_DECODE_COLLECTIVE_OPERATION] = 32;
    d->tables[JST_DECODE_COMMUNICATORS].widths[JST_DECODE_COMMUNICATOR_MEMBERS] = 32;
    return true;
}

jst_decode *jst_decode_new(const char *process_ids, const char *histogram_ids,
                           const char *mount_ids, const char *component_ids, uint64_t max_rows)
{
    jst_decode *d = calloc(1, sizeof *d);
    if (d == NULL)
        return NULL;
    d->max_rows = max_rows;
    bool ok =
        jst_wanted_set(&d->process, process_ids) && jst_wanted_set(&d->histograms, histogram_ids) &&
        jst_wanted_set(&d->mounts, mount_ids) && jst_wanted_set(&d->components, component_ids) &&
        set_widths(d) && set_segment_widths(d) && set_component_widths(d) && set_traffic_widths(d);
    d->histogram_used = calloc(d->histograms.count + 1, sizeof *d->histogram_used);
    d->bucket_bits =
        calloc((size_t)d->histograms.count * JST_DECODE_BUCKETS + 1, sizeof *d->bucket_bits);
    d->buffer = malloc(JST_WINDOW_BYTES);
    if (ok && d->histogram_used != NULL && d->bucket_bits != NULL && d->buffer != NULL)
        return d;
    jst_decode_free(d);
    return NULL;
}

void jst_decode_free(jst_decode *d)
{
    if (d == NULL)
        return;
    jst_wanted_free(&d->process);
    jst_wanted_free(&d->histograms);
    jst_wanted_free(&d->mounts);
    jst_wanted_free(&d->components);
    for (unsigned i = 0; i < JST_DECODE_TABLE_COUNT; i++)
        jst_rows_free(&d->tables[i]);
    for (unsigned i = 0; i < JST_HEAP_COUNT; i++)
        jst_memory_free(&d->heaps[i]);
    jst_memory_free(&d->results);
    jst_memory_free(&d->events);
    jst_memory_free(&d->text);
    jst_memory_free(&d->states);
    jst_memory_free(&d->pending.slices);
    jst_memory_free(&d->pending.cells);
    jst_memory_free(&d->pending.values);
    jst_table_free(&d->table);
    free(d->histogram_used);
    free(d->bucket_bits);
    free(d->levels);
    free(d->sums);
    free(d->committed);
    free(d->moved.cells);
    free(d->moved.values);
    free(d->base.cells);
    free(d->buffer);
    free(d);
}

/* Which kind of file this is, by its first bytes. */
static void read_file(jst_job *j)
{
    uint64_t look = j->s->size < 8 ? j->s->size : 8;
    const uint8_t *p = jst_source_at(j->s, 0, look);
    if (look == 0 || p == NULL) {
        jst_refuse(j, 0, look == 0 ? "the file is empty" : "the file cannot be read");
    } else if (look == 8 && memcmp(p, JST_MAGIC, 8) == 0) {
        j->r->kind = JST_DECODE_PROFILE;
        jst_profile_read(j);
    } else if (p[0] == JST_RECORD_SHORTS_HEADER || p[0] == JST_RECORD_SHORT_PROCESS) {
        j->r->kind = JST_DECODE_SHORTS;
        if (!(j->flags & JST_DECODE_SEGMENTS))
            jst_shorts_read(j);
    } else {
        jst_refuse(j, 0, "it does not begin like a profile (`" JST_MAGIC "`) or a shorts file");
    }
}

static int64_t add(jst_decode *d, jst_source *s, int32_t process, uint64_t from_record,
                   uint32_t flags)
{
    size_t need = (d->result_count + 1) * sizeof(jst_decode_result);
    if (need > d->results.bytes && !jst_memory_grow(&d->results, need * 2))
        return -1;
    jst_decode_result *r = (jst_decode_result *)(void *)d->results.p + d->result_count;
    memset(r, 0, sizeof *r);
    r->file_bytes = s->size;
    const jst_rows *t = d->tables;
    r->first_slice = t[JST_DECODE_SLICES].count;
    r->first_mount = t[JST_DECODE_MOUNT_SLICES].count;
    r->first_segment = t[JST_DECODE_SEGMENT_ROWS].count;
    r->first_token = t[JST_DECODE_TOKENS].count;
    r->first_peer = t[JST_DECODE_PEERS].count;
    r->first_component = t[JST_DECODE_COMPONENT_SLICES].count;
    r->first_peer_slice = t[JST_DECODE_PEER_SLICES].count;
    r->first_collective = t[JST_DECODE_COLLECTIVE_SLICES].count;
    r->first_communicator = t[JST_DECODE_COMMUNICATORS].count;
    r->first_gpu_slice = t[JST_DECODE_GPU_SLICES].count;
    r->first_event = d->event_count;
    r->complete = 1;
    jst_job j = {
        .d = d, .r = r, .s = s, .process = process, .from_record = from_record, .flags = flags};
    read_file(&j);
    d->place = (jst_decode_place){0};
    d->given = NULL;
    d->given_bytes = 0;
    if (s->failed && !j.no_memory) /* other errors of the file follow from this one */
        r->error = (jst_decode_issue){0, JST_DECODE_UNREADABLE};
    if (j.no_memory)
        jst_refuse(&j, r->records_end, "out of memory");
    r->slices = t[JST_DECODE_SLICES].count - r->first_slice;
    r->mounts = t[JST_DECODE_MOUNT_SLICES].count - r->first_mount;
    r->segments = t[JST_DECODE_SEGMENT_ROWS].count - r->first_segment;
    r->tokens = t[JST_DECODE_TOKENS].count - r->first_token;
    r->peers = t[JST_DECODE_PEERS].count - r->first_peer;
    r->components = t[JST_DECODE_COMPONENT_SLICES].count - r->first_component;
    r->peer_slices = t[JST_DECODE_PEER_SLICES].count - r->first_peer_slice;
    r->collectives = t[JST_DECODE_COLLECTIVE_SLICES].count - r->first_collective;
    r->communicators = t[JST_DECODE_COMMUNICATORS].count - r->first_communicator;
    r->gpu_slices = t[JST_DECODE_GPU_SLICES].count - r->first_gpu_slice;
    return (int64_t)d->result_count++;
}

void jst_decode_go_on(jst_decode *d, const jst_decode_place *place, const void *state,
                      size_t state_bytes)
{
    d->place = *place;
    d->given = state;
    d->given_bytes = state_bytes;
}

int64_t jst_decode_add_fd(jst_decode *d, int fd, int32_t process, uint64_t from_record,
                          uint32_t flags)
{
    struct stat st;
    jst_source s = {
        .fd = fd, .window = d->buffer, .buffer = d->buffer, .buffer_bytes = JST_WINDOW_BYTES};
    if (fstat(fd, &st) != 0)
        s.failed = true;
    else if (st.st_size > 0)
        s.size = (uint64_t)st.st_size;
    return add(d, &s, process, from_record, flags);
}

int64_t jst_decode_add_bytes(jst_decode *d, const void *bytes, size_t size, int32_t process,
                             uint64_t from_record, uint32_t flags)
{
    jst_source s = {
        .fd = -1, .size = size, .window = size > 0 ? bytes : d->buffer, .window_bytes = size};
    return add(d, &s, process, from_record, flags);
}

const jst_decode_result *jst_decode_result_at(const jst_decode *d, uint64_t number)
{
    return number < d->result_count ? (const jst_decode_result *)(void *)d->results.p + number
                                    : NULL;
}

uint64_t jst_decode_rows(const jst_decode *d, uint32_t table)
{
    return table < JST_DECODE_TABLE_COUNT ? d->tables[table].count : 0;
}

const void *jst_decode_values(const jst_decode *d, uint32_t table, uint32_t column)
{
    if (table >= JST_DECODE_TABLE_COUNT || column >= d->tables[table].columns)
        return NULL;
    return d->tables[table].data[column].p;
}

const void *jst_decode_binary(const jst_decode *d, uint32_t table, uint32_t column, uint64_t *bytes)
{
    static const struct {
        uint32_t table, column;
    } heaps[JST_HEAP_COUNT] = {
        [JST_HEAP_WAIT] = {JST_DECODE_SEGMENT_ROWS, JST_DECODE_SEGMENT_WAIT},
        [JST_HEAP_OFFCPU] = {JST_DECODE_SEGMENT_ROWS, JST_DECODE_SEGMENT_OFFCPU},
        [JST_HEAP_FUNCTION] = {JST_DECODE_TOKENS, JST_DECODE_TOKEN_FUNCTION},
        [JST_HEAP_MODULE] = {JST_DECODE_TOKENS, JST_DECODE_TOKEN_MODULE},
        [JST_HEAP_UNKNOWN] = {JST_DECODE_COMPONENT_SLICES, JST_DECODE_COMPONENT_UNKNOWN},
        [JST_HEAP_OPERATION] = {JST_DECODE_COLLECTIVE_SLICES, JST_DECODE_COLLECTIVE_OPERATION},
        [JST_HEAP_MEMBERS] = {JST_DECODE_COMMUNICATORS, JST_DECODE_COMMUNICATOR_MEMBERS},
    };
    for (unsigned i = 0; i < JST_HEAP_COUNT; i++)
        if (heaps[i].table == table && heaps[i].column == column) {
            *bytes = d->heap_bytes[i];
            return d->heaps[i].p;
        }
    *bytes = 0;
    return NULL;
}

const int64_t *jst_decode_histogram(const jst_decode *d, uint32_t column, const uint8_t **valid,
                                    uint64_t *nulls)
{
    if (column >= d->histograms.count)
        return NULL;
    uint32_t at = JST_DECODE_SLICES_FIXED + d->process.count + 2 * column;
    *valid = d->tables[JST_DECODE_SLICES].data[at + 1].p;
    *nulls = d->tables[JST_DECODE_SLICES].count - d->histogram_used[column];
    return (const int64_t *)(const void *)d->tables[JST_DECODE_SLICES].data[at].p;
}

const uint64_t *jst_decode_bits(const jst_decode *d, uint32_t table)
{
    return table == JST_DECODE_SLICES || table == JST_DECODE_MOUNT_SLICES ? d->tables[table].bits
                                                                          : NULL;
}

const uint64_t *jst_decode_bucket_bits(const jst_decode *d)
{
    return d->bucket_bits;
}

const jst_decode_event *jst_decode_events(const jst_decode *d, uint64_t *count)
{
    *count = d->event_count;
    return (const jst_decode_event *)(const void *)d->events.p;
}

const char *jst_decode_text(const jst_decode *d, uint64_t *bytes)
{
    *bytes = d->text_bytes;
    return (const char *)d->text.p;
}

const uint8_t *jst_decode_states(const jst_decode *d, uint64_t *bytes)
{
    *bytes = d->state_bytes;
    return d->states.p;
}
