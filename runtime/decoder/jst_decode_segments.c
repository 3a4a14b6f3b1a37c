/* jst_decode_segments.c: execution segments, their tokens, and the peers of one profile.
 *
 * They are a stream of numbered entries: its beginning is in 'G' records, its end in the ring of
 * the header. A killed process may leave the same entries in both, so numbers decide.
 */
#include <stdlib.h>

#include "jst_decode_parts.h"

#define ENTRY_FRONT_MAX 21u /* type and two numbers */
#define TOKENS_MAX 65536u   /* indices that segments may name */
#define SHIFT_MAX 32u

#define BIT(n) (1ull << (n))
#define BITS_BETWEEN(first, behind) (BIT(behind) - BIT(first))
#define BITS_TIMES BITS_BETWEEN(JST_SEGMENT_BIT_MPI_NS, JST_SEGMENT_BIT_INSTRUCTIONS)
#define BITS_VALUES BITS_BETWEEN(JST_SEGMENT_BIT_SENDS, JST_SEGMENT_BIT_WAIT_BINS)
#define VALUES_MAX JST_SEGMENT_BIT_WAIT_BINS

/* The state of reading entries. */
typedef struct stream {
    jst_job *j;
    uint64_t at;       /* the offset in a warning */
    uint64_t next;     /* offset of the next record */
    uint64_t peers_at; /* offset of the 'W' record that counts; 0: none */
    uint64_t expected; /* number of the next entry */
    uint64_t end_ns;   /* of the latest segment */
    uint64_t globals, set;
    uint32_t *hashes; /* of the tokens, by index */
    uint32_t hash_count;
    bool over;         /* no more entries are read: full, damaged or out of memory */
    bool unknown_said; /* a segment named an unknown token */
    uint64_t bytes;    /* of all 'G' payloads so far */
    jst_memory rest;   /* a piece of an entry whose end is still to come */
    uint64_t rest_bytes;
} stream;

static void stop(stream *s, const char *why)
{
    if (why != NULL)
        jst_warn(s->j, s->at, why);
    s->over = true;
}

static bool no_memory(stream *s)
{
    s->j->no_memory = s->over = true;
    return false;
}

/* Is there space for a row that takes so many bytes of heap? Otherwise reading ends here. */
static bool room(stream *s, uint64_t bytes)
{
    if (!jst_full(s->j->d) && !jst_heaps_full(s->j->d, bytes))
        return true;
    s->j->r->complete = 0;
    s->over = true;
    return false;
}

static void put32(jst_rows *r, uint32_t column, uint32_t v)
{
    ((uint32_t *)(void *)r->data[column].p)[r->count] = v;
}

static void put64(jst_rows *r, uint32_t column, uint64_t v)
{
    ((uint64_t *)(void *)r->data[column].p)[r->count] = v;
}

/* ---- tokens ---- */

static bool remember(stream *s, uint64_t index, uint32_t hash)
{
    if (index >= TOKENS_MAX)
        return true;
    if (index >= s->hash_count) {
        uint32_t count = (uint32_t)index * 2 + 64;
        uint32_t *p = realloc(s->hashes, count * sizeof *p);
        if (p == NULL)
            return no_memory(s);
        memset(p + s->hash_count, 0, (count - s->hash_count) * sizeof *p);
        s->hashes = p;
        s->hash_count = count;
    }
    s->hashes[index] = hash;
    return true;
}

static bool take_token(stream *s, jst_cursor c, uint64_t number)
{
    jst_decode *d = s->j->d;
    jst_rows *r = &d->tables[JST_DECODE_TOKENS];
    uint64_t index = jst_take_varint(&c);
    uint32_t hash = jst_take32(&c);
    uint64_t function_bytes = jst_take_varint(&c);
    const uint8_t *function = jst_take_bytes(&c, function_bytes);
    uint64_t bytes = jst_take_varint(&c), site = jst_take_varint(&c);
    uint64_t module_bytes = jst_take_varint(&c);
    const uint8_t *module = jst_take_bytes(&c, module_bytes);
    if (c.p == NULL || index == 0)
        return false;
    if (number < s->j->from_record)
        return remember(s, index, hash);
    if (!room(s, function_bytes + module_bytes) || !remember(s, index, hash))
        return true;
    if (!jst_rows_reserve(r, 2) ||
        !jst_heap_put(d, JST_HEAP_FUNCTION, r, JST_DECODE_TOKEN_FUNCTION, function,
                      function_bytes) ||
        !jst_heap_put(d, JST_HEAP_MODULE, r, JST_DECODE_TOKEN_MODULE, module, module_bytes))
        return !no_memory(s);
    put32(r, JST_DECODE_TOKEN_PROCESS, (uint32_t)s->j->process);
    put64(r, JST_DECODE_TOKEN_NUMBER, number);
    put32(r, JST_DECODE_TOKEN_HASH, hash);
    put64(r, JST_DECODE_TOKEN_BYTES, (uint64_t)jst_number(bytes));
    put64(r, JST_DECODE_TOKEN_SITE, (uint64_t)jst_number(site));
    r->count++;
    return true;
}

static uint32_t hash_of(stream *s, uint64_t token)
{
    if (token == 0)
        return 0;
    if (token < s->hash_count && s->hashes[token] != 0)
        return s->hashes[token];
    if (!s->unknown_said)
        jst_warn(s->j, s->at, "a segment ends with a call that no entry before it describes");
    s->unknown_said = true;
    return 0;
}

/* ---- segments ---- */

typedef struct segment {
    uint64_t duration_ns, token, globals, set, present;
    uint32_t sum;
    uint16_t sequence;
    uint8_t rule, shift;
    int64_t occurrence;
    int64_t values[VALUES_MAX]; /* those that are present, by bit */
    const uint8_t *bins[2];
    uint64_t bin_count[2];
} segment;

static bool take_bins(jst_cursor *c, segment *g, unsigned which)
{
    const uint8_t *shift = jst_take_bytes(c, 1);
    uint64_t n = jst_take_varint(c);
    g->bins[which] = jst_take_bytes(c, n);
    g->bin_count[which] = n;
    /* One column has the shift of both. */
    bool other = which == 1 && g->present & BIT(JST_SEGMENT_BIT_WAIT_BINS) && shift != NULL &&
                 *shift != g->shift;
    if (c->p == NULL || *shift > SHIFT_MAX || other)
        return false;
    g->shift = *shift;
    return true;
}

/* set: that of the segment before. Unknown bits come after the known ones and are skipped. */
static bool parse_segment(jst_cursor c, segment *g, uint64_t set)
{
    g->duration_ns = jst_take_varint(&c);
    const uint8_t *rule = jst_take_bytes(&c, 1);
    g->token = jst_take_varint(&c);
    g->globals = jst_take_varint(&c);
    const uint8_t *hashes = jst_take_bytes(&c, 6);
    g->present = jst_take_varint(&c);
    if (c.p == NULL)
        return false;
    g->rule = *rule;
    g->sequence = (uint16_t)(hashes[0] | hashes[1] << 8);
    g->sum = jst_load32(hashes + 2);
    g->set = set;
    if (g->present & BIT(JST_SEGMENT_BIT_SET)) {
        const uint8_t *p = jst_take_bytes(&c, 8);
        g->set = p == NULL ? 0 : jst_load64(p);
    }
    for (uint64_t bits = g->present & BITS_VALUES; bits != 0; bits &= bits - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(bits);
        if (BITS_TIMES >> bit & 1) {
            const uint8_t *p = jst_take_bytes(&c, 2);
            g->values[bit] = p == NULL ? 0 : (int64_t)jst_ns_of(p[0] | (unsigned)p[1] << 8);
        } else {
            g->values[bit] = jst_number(jst_take_varint(&c));
        }
    }
    g->shift = 0;
    g->bin_count[0] = g->bin_count[1] = 0;
    for (unsigned i = 0; i < 2; i++)
        if (g->present & BIT(JST_SEGMENT_BIT_WAIT_BINS + i) && !take_bins(&c, g, i))
            return false;
    g->occurrence =
        g->present & BIT(JST_SEGMENT_BIT_OCCURRENCE) ? jst_number(jst_take_varint(&c)) : 0;
    return c.p != NULL;
}

/* Bins beyond the segment's end would be in those of others. */
static void cut_bins(stream *s, segment *g, uint64_t start, uint64_t end)
{
    uint64_t width = (uint64_t)JST_BIN_NS << g->shift;
    uint64_t most = end / width - start / width + 1;
    for (unsigned i = 0; i < 2; i++)
        if (g->bin_count[i] > most) {
            jst_warn(s->j, s->at, "a segment has more bins than it is long: they are left out");
            g->bin_count[i] = most;
        }
}

static bool put_segment(stream *s, segment *g, uint64_t number, uint64_t end)
{
    jst_decode *d = s->j->d;
    jst_rows *r = &d->tables[JST_DECODE_SEGMENT_ROWS];
    cut_bins(s, g, s->end_ns, end);
    if (!jst_rows_reserve(r, 2) ||
        !jst_heap_put(d, JST_HEAP_WAIT, r, JST_DECODE_SEGMENT_WAIT, g->bins[0], g->bin_count[0]) ||
        !jst_heap_put(d, JST_HEAP_OFFCPU, r, JST_DECODE_SEGMENT_OFFCPU, g->bins[1],
                      g->bin_count[1]))
        return no_memory(s);
    unsigned rule = g->rule & 7;
    put32(r, JST_DECODE_SEGMENT_PROCESS, (uint32_t)s->j->process);
    put64(r, JST_DECODE_SEGMENT_NUMBER, number);
    put64(r, JST_DECODE_SEGMENT_START, s->end_ns);
    put64(r, JST_DECODE_SEGMENT_END, end);
    r->data[JST_DECODE_SEGMENT_RULE].p[r->count] = (uint8_t)(rule < 5 ? rule : 5);
    r->data[JST_DECODE_SEGMENT_LEVEL].p[r->count] = g->rule >> 3;
    put32(r, JST_DECODE_SEGMENT_TOKEN, hash_of(s, g->token));
    put64(r, JST_DECODE_SEGMENT_GLOBALS, g->globals);
    put64(r, JST_DECODE_SEGMENT_BEFORE, s->globals);
    ((uint16_t *)(void *)r->data[JST_DECODE_SEGMENT_SEQUENCE].p)[r->count] = g->sequence;
    put64(r, JST_DECODE_SEGMENT_OCCURRENCE, (uint64_t)g->occurrence);
    put32(r, JST_DECODE_SEGMENT_SUM, g->sum);
    put64(r, JST_DECODE_SEGMENT_SET, g->set);
    r->data[JST_DECODE_SEGMENT_SHIFT].p[r->count] = g->shift;
    for (uint64_t bits = g->present & BITS_VALUES; bits != 0; bits &= bits - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(bits);
        jst_values_of(r, JST_DECODE_SEGMENT_VALUES + bit - JST_SEGMENT_BIT_SENDS)[r->count] =
            g->values[bit];
    }
    r->count++;
    return true;
}

static bool take_segment(stream *s, jst_cursor c, uint64_t number)
{
    segment g;
    if (!parse_segment(c, &g, s->set) || g.duration_ns > INT64_MAX - s->end_ns ||
        g.globals > INT64_MAX - s->globals)
        return false;
    uint64_t end = s->end_ns + g.duration_ns;
    if (number >= s->j->from_record &&
        (!room(s, g.bin_count[0] + g.bin_count[1]) || !put_segment(s, &g, number, end)))
        return true;
    s->end_ns = end;
    s->globals += g.globals;
    s->set = g.set;
    return true;
}

/* ---- entries ---- */

/* Reads whole entries from a range; returns how many bytes they are. */
static uint64_t take_entries(stream *s, const uint8_t *p, uint64_t bytes)
{
    jst_cursor c = {p, p + bytes};
    while (!s->over && c.p < c.end) {
        const uint8_t *begin = c.p;
        uint8_t type = *c.p++;
        uint64_t number = jst_take_varint(&c), length = jst_take_varint(&c);
        if (c.p == NULL ? c.end - begin >= ENTRY_FRONT_MAX : length > JST_PAYLOAD_MAX) {
            stop(s, "an entry of the segments makes no sense: what follows it is left out");
            return bytes;
        }
        const uint8_t *payload = jst_take_bytes(&c, length);
        if (payload == NULL)
            return (uint64_t)(begin - p);
        if (number < s->expected)
            continue;
        if (number > s->expected) {
            stop(s, "entries of the segments are missing: what follows them is left out");
            return bytes;
        }
        jst_cursor entry = {payload, payload + length};
        if (!(type == JST_STREAM_SEGMENT ? take_segment(s, entry, number)
              : type == JST_STREAM_TOKEN ? take_token(s, entry, number)
                                         : true))
            stop(s, "an entry of the segments makes no sense: what follows it is left out");
        s->expected += !s->over;
    }
    return bytes;
}

/* Reads the next piece of the stream; an entry may extend over two. */
static void take_piece(stream *s, const uint8_t *p, uint64_t bytes)
{
    if (s->over || bytes == 0)
        return;
    uint64_t have = s->rest_bytes;
    if (have > 0) {
        if (!jst_memory_grow(&s->rest, have + bytes)) {
            no_memory(s);
            return;
        }
        memcpy(s->rest.p + have, p, bytes);
        p = s->rest.p;
        bytes += have;
    }
    uint64_t taken = take_entries(s, p, bytes);
    s->rest_bytes = bytes - taken;
    if (s->rest_bytes == 0)
        return;
    if (have == 0 && !jst_memory_grow(&s->rest, s->rest_bytes)) {
        no_memory(s);
        return;
    }
    memmove(s->rest.p, p + taken, s->rest_bytes);
}

/* ---- the end of the stream, from the ring ---- */

static void ring_take(stream *s, const jst_ring_copy *r)
{
    uint64_t skip = 0;
    if (r->written == r->drained)
        return;
    if (s->rest_bytes > 0 && s->bytes >= r->drained && s->bytes <= r->written)
        skip = s->bytes - r->drained; /* continues in the middle of an entry */
    else
        s->rest_bytes = 0;
    take_piece(s, r->bytes.p + skip, r->written - r->drained - skip);
}

/* ---- records ---- */

/* 'W'. Only the latest of a file counts. */
static bool take_peers(stream *s, jst_cursor c)
{
    jst_job *j = s->j;
    jst_rows *r = &j->d->tables[JST_DECODE_PEERS];
    uint64_t n = jst_take_varint(&c);
    s->peers_at = s->at;
    r->count = j->r->first_peer;
    for (; n > 0 && c.p != NULL; n--) {
        uint64_t v[5];
        for (int i = 0; i < 5; i++)
            v[i] = jst_take_varint(&c);
        if (c.p == NULL || v[0] > UINT32_MAX)
            return false;
        if (jst_full(j->d)) {
            j->r->complete = 0;
            return true;
        }
        if (!jst_rows_reserve(r, 1)) {
            j->no_memory = true;
            return true;
        }
        put32(r, JST_DECODE_PEER_PROCESS, (uint32_t)j->process);
        for (uint32_t i = 0; i < 5; i++)
            put64(r, JST_DECODE_PEER_RANK + i, (uint64_t)jst_number(v[i]));
        r->count++;
    }
    return c.p != NULL;
}

/* Slices and events are skipped by their lengths. */
static void take_records(stream *s, const jst_commit_view *c)
{
    jst_job *j = s->j;
    uint64_t at = s->next;
    enum jst_record_state state;
    jst_record rec;
    /* NOTE: entries lost in a damaged record are noticed by the numbers of those in the ring. */
    while ((state = jst_record_frame(j->s, at, c->records_end, &rec)) == JST_RECORD_GOOD) {
        if (rec.type == JST_RECORD_SEGMENTS || rec.type == JST_RECORD_PEERS) {
            if ((state = jst_record_at(j->s, at, c->records_end, &rec)) != JST_RECORD_GOOD)
                break;
            s->at = at;
            if (rec.type == JST_RECORD_SEGMENTS) {
                uint64_t bytes = (uint64_t)(rec.payload.end - rec.payload.p);
                take_piece(s, rec.payload.p, bytes);
                s->bytes += bytes;
            } else if (!take_peers(s, rec.payload)) {
                j->d->tables[JST_DECODE_PEERS].count = j->r->first_peer;
                jst_warn(j, at, "a record of peers makes no sense and is passed over");
            }
        }
        if (j->no_memory)
            return;
        at = rec.next;
    }
    j->r->records_end = s->next = at;
    if (state == JST_RECORD_BAD || state == JST_RECORD_CUT)
        jst_warn(j, at, "a record is damaged: what follows it is left out");
}

/* ---- the state for a later reading ---- */

/* The ring is not part of it: what is there is read again, since it moves into records. Nothing is
 * saved before the first entry, since the time of MPI_Init may still be unknown. */
static void save(stream *s)
{
    uint32_t hashes = s->hash_count;
    while (hashes > 0 && s->hashes[hashes - 1] == 0)
        hashes--;
    jst_state_begin(s->j, JST_STATE_SEGMENTS);
    const uint64_t numbers[] = {s->next,  s->peers_at, s->expected, s->end_ns,    s->globals,
                                s->bytes, s->set,      hashes,      s->rest_bytes};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        jst_state_number(s->j, numbers[i]);
    jst_state_bytes(s->j, s->hashes, hashes * sizeof *s->hashes);
    jst_state_bytes(s->j, s->rest.p, s->rest_bytes);
    s->j->r->goes_on = jst_state_end(s->j);
}

/* False when the state is invalid, or has more entries than the caller; or when memory is short. */
static bool restore(stream *s)
{
    jst_cursor c = jst_state_given(s->j, JST_STATE_SEGMENTS);
    s->next = jst_take_varint(&c);
    s->peers_at = jst_take_varint(&c);
    s->expected = jst_take_varint(&c);
    s->end_ns = jst_take_varint(&c);
    s->globals = jst_take_varint(&c);
    s->bytes = jst_take_varint(&c);
    s->set = jst_take_varint(&c);
    const uint64_t hashes = jst_take_varint(&c), rest = jst_take_varint(&c);
    if (c.p == NULL || hashes > TOKENS_MAX || s->expected > s->j->from_record ||
        s->end_ns > INT64_MAX || s->globals > INT64_MAX)
        return false;
    const uint8_t *p = jst_take_bytes(&c, hashes * sizeof *s->hashes);
    const uint8_t *bytes = jst_take_bytes(&c, rest);
    if (p == NULL || bytes == NULL || c.p != c.end)
        return false;
    s->hashes = malloc((hashes + 1) * sizeof *s->hashes);
    if (s->hashes == NULL || (rest > 0 && !jst_memory_grow(&s->rest, rest)))
        return no_memory(s);
    if (hashes > 0)
        memcpy(s->hashes, p, hashes * sizeof *s->hashes);
    if (rest > 0)
        memcpy(s->rest.p, bytes, rest);
    s->hash_count = (uint32_t)hashes;
    s->rest_bytes = rest;
    return true;
}

/* Is the place a state names inside the records, and the record of peers still there? */
static bool is_there(stream *s, const jst_commit_view *c)
{
    jst_job *j = s->j;
    jst_record rec;
    const uint64_t first = JST_HEADER(j, head_bytes);
    if (s->next < first || s->next > c->records_end)
        return false;
    if (s->peers_at == 0)
        return true;
    s->at = s->peers_at;
    return s->peers_at >= first &&
           jst_record_at(j->s, s->peers_at, s->next, &rec) == JST_RECORD_GOOD &&
           rec.type == JST_RECORD_PEERS && take_peers(s, rec.payload);
}

/* ---- a file ---- */

/* Reads records and ring from where the stream is. */
static void read_on(stream *s, const jst_ring_copy *r, const jst_commit_view *c)
{
    jst_job *j = s->j;
    take_records(s, c);
    if (j->r->warning_count == 0 && !s->over && s->expected > 0)
        save(s);
    s->at = JST_HEADER(j, ring_offset);
    if (!j->no_memory)
        ring_take(s, r);
    if (s->rest_bytes > 0 && !s->over)
        jst_warn(j, s->at, "the last entry of the segments is cut short and left out");
    if (j->r->warning_count > 0) {
        jst_state_forget(j);
        j->r->goes_on = 0;
    }
    j->r->records_read = s->expected;
}

/* Forgets the rows of a reading. Values are cleared, since a row stores only those that it has. */
static void take_back(jst_job *j, const uint64_t *heap_bytes)
{
    jst_rows *r = &j->d->tables[JST_DECODE_SEGMENT_ROWS];
    const uint64_t first = j->r->first_segment;
    for (uint32_t i = JST_DECODE_SEGMENT_VALUES; i < JST_DECODE_SEGMENT_SHIFT && r->count > first;
         i++)
        memset(jst_values_of(r, i) + first, 0, (r->count - first) * sizeof(int64_t));
    r->count = first;
    j->d->tables[JST_DECODE_TOKENS].count = j->r->first_token;
    j->d->tables[JST_DECODE_PEERS].count = j->r->first_peer;
    memcpy(j->d->heap_bytes, heap_bytes, sizeof j->d->heap_bytes);
    j->r->warning_count = 0;
    j->r->complete = 1;
    j->r->goes_on = 0;
    jst_state_forget(j);
}

static void free_stream(stream *s)
{
    free(s->hashes);
    jst_memory_free(&s->rest);
}

/* RATIONALE: as in jst_decode_profile.c, the data at the place are not trusted: with anything
 * unusual, all of the file is read. */
static bool resume(jst_job *j, const jst_ring_copy *r, const jst_commit_view *c)
{
    stream s = {.j = j};
    uint64_t heap_bytes[JST_HEAP_COUNT];
    if (j->d->given_bytes == 0 || j->r->warning_count > 0)
        return false;
    memcpy(heap_bytes, j->d->heap_bytes, sizeof heap_bytes);
    bool ok = restore(&s) && is_there(&s, c);
    if (ok) {
        read_on(&s, r, c);
        ok = j->r->warning_count == 0;
        if (ok && s.over && !j->r->goes_on) /* full before the end of the records */
            j->r->goes_on = jst_state_again(j);
    }
    free_stream(&s);
    if (!ok && !j->no_memory)
        take_back(j, heap_bytes);
    j->r->resumed = ok;
    return ok || j->no_memory;
}

static void read_whole(jst_job *j, const jst_ring_copy *r, const jst_commit_view *c)
{
    stream s = {.j = j, .at = JST_HEADER(j, head_bytes), .next = JST_HEADER(j, head_bytes)};
    /* NOTE: where there are entries, there is the time of MPI_Init. A further part begins where its
     * file was made. */
    s.end_ns = JST_HEADER(j, part) ? JST_HEADER(j, file_ns) : JST_HEADER(j, mpi_init_ns);
    if (s.end_ns > INT64_MAX) {
        jst_warn(j, JST_AT(mpi_init_ns), "the time of MPI_Init makes no sense");
        s.over = true;
    }
    read_on(&s, r, c);
    free_stream(&s);
}

void jst_segments_read(jst_job *j)
{
    jst_ring_copy r = {0};
    jst_commit_view c = {0};
    if (JST_HEADER(j, mpi_state) == 0)
        return; /* no MPI, no segments */
    jst_ring_read(j, &r);
    jst_commit_read(j, &c);
    if (!j->no_memory && !resume(j, &r, &c))
        read_whole(j, &r, &c);
    jst_memory_free(&r.bytes);
}
