/* jst_decode_traffic.c: 'T' and 'U' records: partners and collectives by slice, communicators.
 *
 * The records of a place are summed: what its words in the header have beyond the sum is the
 * remainder.
 */
#include <stdlib.h>

#include "jst_decode_parts.h"

#define PLACES_MAX 4096u /* most of each kind that a file may have */
#define NAME_MAX_BYTES (sizeof((jst_collective *)0)->operation - 1)
#define PEER_WORDS 5u
#define COLLECTIVE_WORDS 2u
#define OF_OTHERS (-1)

/* The sums of one place by the records so far. */
typedef struct place {
    int64_t rank; /* of a partner, or root; -1: all others, or none */
    uint32_t communicator;
    uint8_t name_bytes;
    char name[NAME_MAX_BYTES];
    uint64_t sums[PEER_WORDS];
} place;

struct jst_traffic {
    uint64_t expected;           /* slice at which the next record begins unless it has another */
    unsigned used[2];            /* the places from there on are unused; enum kind */
    place places[2][PLACES_MAX]; /* enum kind */
};

enum kind { PARTNERS, COLLECTIVES };

/* The properties of a kind. */
typedef struct form {
    unsigned words;
    enum jst_decode_table table;
    size_t place_bytes, first_word; /* of a place in the header */
} form;

static const form forms[2] = {
    {PEER_WORDS, JST_DECODE_PEER_SLICES, sizeof(jst_peer), offsetof(jst_peer, sent_ops)},
    {COLLECTIVE_WORDS, JST_DECODE_COLLECTIVE_SLICES, sizeof(jst_collective),
     offsetof(jst_collective, ops)},
};

void jst_traffic_free(jst_job *j)
{
    free(j->traffic);
    j->traffic = NULL;
}

static bool begin(jst_job *j)
{
    if (j->traffic != NULL)
        return true;
    j->traffic = calloc(1, sizeof *j->traffic);
    if (j->traffic == NULL) {
        j->no_memory = true;
        return false;
    }
    j->traffic->expected = JST_HEADER(j, first_slice);
    return true;
}

/* ---- rows ---- */

/* False when memory is short. */
static bool put_row(jst_job *j, enum kind kind, const place *p, const uint64_t *gained,
                    int64_t slice, int32_t span)
{
    jst_rows *r = &j->d->tables[forms[kind].table];
    uint32_t first = kind == PARTNERS ? JST_DECODE_PEER_SLICE_VALUES : JST_DECODE_COLLECTIVE_VALUES;
    if (jst_heaps_full(j->d, sizeof p->name) || !jst_rows_reserve(r, 2) ||
        (kind == COLLECTIVES &&
         !jst_heap_put(j->d, JST_HEAP_OPERATION, r, JST_DECODE_COLLECTIVE_OPERATION,
                       (const uint8_t *)p->name, p->name_bytes))) {
        j->no_memory = true;
        return false;
    }
    jst_fixed_put(r, r->count, j->process, slice, span);
    if (kind == PARTNERS) {
        jst_values_of(r, JST_DECODE_PEER_SLICE_RANK)[r->count] = p->rank;
    } else {
        jst_values_of(r, JST_DECODE_COLLECTIVE_COMMUNICATOR)[r->count] = p->communicator;
        jst_values_of(r, JST_DECODE_COLLECTIVE_ROOT)[r->count] = p->rank;
    }
    for (uint32_t w = 0; w < forms[kind].words; w++)
        jst_values_of(r, first + w)[r->count] = jst_number(gained[w]);
    r->count++;
    return true;
}

/* ---- records ---- */

static bool take_name(jst_cursor *c, enum kind kind, place *p)
{
    if (kind == COLLECTIVES) {
        uint64_t communicator = jst_take_varint(c);
        p->communicator = (uint32_t)communicator;
        if (communicator > UINT32_MAX)
            return false;
    }
    uint64_t rank = jst_take_varint(c);
    p->rank = (int64_t)rank - 1;
    if (c->p == NULL || rank > UINT32_MAX)
        return false;
    if (kind == PARTNERS)
        return true;
    uint64_t bytes = jst_take_varint(c);
    const uint8_t *name = jst_take_bytes(c, bytes);
    if (name == NULL || bytes > sizeof p->name)
        return false;
    memcpy(p->name, name, bytes);
    p->name_bytes = (uint8_t)bytes;
    return true;
}

/* The entries of one kind, up to their end. */
static bool take_places(jst_job *j, jst_cursor *c, enum kind kind, bool wanted, int64_t slice,
                        int32_t span)
{
    uint64_t next = 0, gap;
    while ((gap = jst_take_varint(c)) != 0) {
        uint64_t at = next + gap - 1, gained[PEER_WORDS] = {0};
        const uint8_t *mask = jst_take_bytes(c, 1);
        if (mask == NULL || gap > PLACES_MAX || at >= PLACES_MAX)
            return false;
        place *p = &j->traffic->places[kind][at];
        unsigned bits = *mask;
        if (at >= j->traffic->used[kind])
            j->traffic->used[kind] = (unsigned)at + 1;
        if (bits & 1 && !take_name(c, kind, p))
            return false;
        for (unsigned w = 0; w < forms[kind].words; w++)
            if (bits >> (w + 1) & 1)
                p->sums[w] += gained[w] = jst_take_varint(c);
        if (c->p == NULL || bits >> (forms[kind].words + 1) != 0)
            return false;
        if (wanted && !put_row(j, kind, p, gained, slice, span))
            return false;
        next = at + 1;
    }
    return c->p != NULL;
}

/* Rows of a record that turns out to be damaged are removed. */
bool jst_traffic_take(jst_job *j, jst_cursor c, bool wanted)
{
    jst_rows *rows[2] = {&j->d->tables[forms[PARTNERS].table],
                         &j->d->tables[forms[COLLECTIVES].table]};
    const uint64_t before[2] = {rows[0]->count, rows[1]->count};
    const uint64_t heap = j->d->heap_bytes[JST_HEAP_OPERATION];
    if (!begin(j))
        return false;
    uint64_t slice = j->traffic->expected + (uint64_t)jst_unzigzag(jst_take_varint(&c));
    uint64_t span = jst_take_varint(&c);
    if (c.p != NULL && span > 0 && span <= INT32_MAX &&
        take_places(j, &c, PARTNERS, wanted, (int64_t)slice, (int32_t)span) &&
        take_places(j, &c, COLLECTIVES, wanted, (int64_t)slice, (int32_t)span)) {
        j->traffic->expected = slice + span;
        return true;
    }
    rows[0]->count = before[0];
    rows[1]->count = before[1];
    j->d->heap_bytes[JST_HEAP_OPERATION] = heap;
    return false;
}

bool jst_communicator_take(jst_job *j, jst_cursor c)
{
    jst_rows *r = &j->d->tables[JST_DECODE_COMMUNICATORS];
    uint64_t communicator = jst_take_varint(&c), size = jst_take_varint(&c);
    if (c.p == NULL || communicator > UINT32_MAX || size > UINT32_MAX)
        return false;
    uint64_t bytes = (uint64_t)(c.end - c.p);
    if (bytes > JST_MEMBERS_MOST) /* no runtime writes that */
        bytes = 0;
    if (jst_heaps_full(j->d, bytes) || !jst_rows_reserve(r, 2) ||
        !jst_heap_put(j->d, JST_HEAP_MEMBERS, r, JST_DECODE_COMMUNICATOR_MEMBERS, c.p, bytes)) {
        j->no_memory = true;
        return false;
    }
    ((int32_t *)(void *)r->data[JST_DECODE_PROCESS].p)[r->count] = j->process;
    jst_values_of(r, JST_DECODE_COMMUNICATOR_HASH)[r->count] = (int64_t)communicator;
    jst_values_of(r, JST_DECODE_COMMUNICATOR_SIZE)[r->count] = (int64_t)size;
    r->count++;
    return true;
}

/* ---- the state for a later reading ---- */

static bool is_used(const place *p)
{
    uint64_t any = (uint64_t)p->rank | p->communicator | p->name_bytes;
    for (unsigned w = 0; w < PEER_WORDS; w++)
        any |= p->sums[w];
    return any != 0;
}

static void save_place(jst_job *j, enum kind kind, const place *p)
{
    jst_state_number(j, (uint64_t)(p->rank + 1));
    if (kind == COLLECTIVES) {
        jst_state_number(j, p->communicator);
        jst_state_number(j, p->name_bytes);
        jst_state_bytes(j, p->name, p->name_bytes);
    }
    for (unsigned w = 0; w < forms[kind].words; w++)
        jst_state_number(j, p->sums[w]);
}

static bool restore_place(jst_cursor *c, enum kind kind, place *p)
{
    uint64_t rank = jst_take_varint(c);
    p->rank = (int64_t)rank - 1;
    if (kind == COLLECTIVES) {
        p->communicator = (uint32_t)jst_take_varint(c);
        uint64_t bytes = jst_take_varint(c);
        const uint8_t *name = jst_take_bytes(c, bytes);
        if (name == NULL || bytes > sizeof p->name)
            return false;
        memcpy(p->name, name, bytes);
        p->name_bytes = (uint8_t)bytes;
    }
    for (unsigned w = 0; w < forms[kind].words; w++)
        p->sums[w] = jst_take_varint(c);
    return c->p != NULL && rank <= UINT32_MAX;
}

/* 0, or 1 and the slice and for each kind: gap and content of each used place, 0. */
void jst_traffic_save(jst_job *j)
{
    const struct jst_traffic *t = j->traffic;
    jst_state_number(j, t != NULL);
    if (t == NULL)
        return;
    jst_state_number(j, t->expected);
    for (enum kind kind = PARTNERS; kind <= COLLECTIVES; kind++) {
        unsigned next = 0;
        for (unsigned at = 0; at < t->used[kind] && !j->state_lost; at++) {
            if (!is_used(&t->places[kind][at]))
                continue;
            jst_state_number(j, at - next + 1);
            save_place(j, kind, &t->places[kind][at]);
            next = at + 1;
        }
        jst_state_number(j, 0);
    }
}

bool jst_traffic_restore(jst_job *j, jst_cursor *c)
{
    uint64_t gap, known = jst_take_varint(c);
    if (c->p == NULL || known > 1)
        return false;
    if (known == 0)
        return true;
    if (!begin(j))
        return false;
    struct jst_traffic *t = j->traffic;
    t->expected = jst_take_varint(c);
    for (enum kind kind = PARTNERS; kind <= COLLECTIVES; kind++) {
        t->used[kind] = 0;
        while ((gap = jst_take_varint(c)) != 0) {
            if (gap > PLACES_MAX - t->used[kind])
                return false;
            t->used[kind] += (unsigned)gap;
            if (!restore_place(c, kind, &t->places[kind][t->used[kind] - 1]))
                return false;
        }
    }
    return c->p != NULL;
}

/* ---- the remainder ---- */

/* The partner or collective to which a place in the header belongs now. */
static void read_name(const uint8_t *raw, enum kind kind, place *p)
{
    if (kind == PARTNERS) {
        uint64_t key = jst_load64(raw + offsetof(jst_peer, key));
        p->rank = key < 2 || key - 2 >= UINT32_MAX ? OF_OTHERS : (int64_t)(key - 2);
        return;
    }
    bool named = jst_load32(raw + offsetof(jst_collective, state)) == 2;
    uint32_t root = jst_load32(raw + offsetof(jst_collective, root));
    p->communicator = named ? jst_load32(raw + offsetof(jst_collective, communicator)) : 0;
    p->rank = named && root != UINT32_MAX ? (int64_t)root : OF_OTHERS;
    const uint8_t *name = raw + offsetof(jst_collective, operation);
    p->name_bytes = 0;
    while (named && p->name_bytes < sizeof p->name && name[p->name_bytes])
        p->name_bytes++;
    memcpy(p->name, name, p->name_bytes);
}

static bool take_rest(jst_job *j, enum kind kind, int64_t slice, int32_t span)
{
    const form *f = &forms[kind];
    bool partners = kind == PARTNERS;
    uint64_t at = partners ? JST_HEADER(j, peers_offset) : JST_HEADER(j, collectives_offset);
    uint64_t bytes = partners ? JST_HEADER(j, peer_bytes) : JST_HEADER(j, collective_bytes);
    uint64_t capacity =
        partners ? JST_HEADER(j, peers_capacity) : JST_HEADER(j, collectives_capacity);
    if (capacity == 0)
        return true;
    if (capacity > PLACES_MAX || bytes < f->place_bytes ||
        !jst_head_holds(j, at, capacity * bytes)) {
        jst_warn(j, at, "a table of partners or collectives is not inside the header");
        return true;
    }
    for (uint64_t i = 0; i < capacity; i++, at += bytes) {
        const uint8_t *raw = jst_source_at(j->s, at, f->place_bytes);
        place now = j->traffic->places[kind][i];
        uint64_t gained[PEER_WORDS], any = 0;
        if (raw == NULL)
            return true;
        for (unsigned w = 0; w < f->words; w++) {
            uint64_t total = jst_load64(raw + f->first_word + 8 * (size_t)w);
            gained[w] = total > now.sums[w] ? total - now.sums[w] : 0;
            any |= gained[w];
        }
        read_name(raw, kind, &now);
        if (any != 0 && !put_row(j, kind, &now, gained, slice, span))
            return false;
    }
    return true;
}

void jst_traffic_remainder(jst_job *j)
{
    uint64_t slice_ns = JST_HEADER(j, slice_ns), end_ns = JST_HEADER(j, end_ns);
    if (JST_HEADER(j, peers_capacity) == 0 || !begin(j))
        return;
    uint64_t first = JST_HEADER(j, traffic_slice);
    if (first < j->traffic->expected) /* killed between a record and this word */
        first = j->traffic->expected;
    uint64_t last = (end_ns != 0 ? end_ns : JST_HEADER(j, heartbeat_ns)) / slice_ns;
    if (first > INT64_MAX)
        return;
    jst_source_forget(j->s);
    if (take_rest(j, PARTNERS, (int64_t)first, jst_span(first, last)))
        take_rest(j, COLLECTIVES, (int64_t)first, jst_span(first, last));
}
