/* jst_decode_gpus.c: 'D' records: GPUs by slice; and the table of GPUs in the header, with their
 * names.
 *
 * The records of a place are summed: what its words in the header have beyond the sum is the
 * remainder.
 */
#include <stdlib.h>

#include "jst_decode_parts.h"

#define PLACES_MAX 64u /* most that a file may have */
#define WORDS_MAX (sizeof((jst_gpu *)0)->words / sizeof(uint64_t))
#define WORDS ((unsigned)JST_DECODE_GPU_SLICE_WORDS)
_Static_assert(WORDS <= WORDS_MAX, "words that are known");

struct jst_gpus {
    uint64_t expected; /* slice at which the next record begins unless it has another */
    uint64_t sums[PLACES_MAX][WORDS_MAX];
};

void jst_gpus_free(jst_job *j)
{
    free(j->gpus);
    j->gpus = NULL;
}

static bool begin(jst_job *j)
{
    if (j->gpus != NULL)
        return true;
    j->gpus = calloc(1, sizeof *j->gpus);
    if (j->gpus == NULL) {
        j->no_memory = true;
        return false;
    }
    j->gpus->expected = JST_HEADER(j, first_slice);
    return true;
}

/* False when memory is short. */
static bool put_row(jst_job *j, uint64_t place, const uint64_t *gained, int64_t slice, int32_t span)
{
    jst_rows *r = &j->d->tables[JST_DECODE_GPU_SLICES];
    if (!jst_rows_reserve(r, 1)) {
        j->no_memory = true;
        return false;
    }
    jst_fixed_put(r, r->count, j->process, slice, span);
    jst_values_of(r, JST_DECODE_GPU_SLICE_GPU)[r->count] = (int64_t)place;
    for (unsigned w = 0; w < WORDS; w++)
        jst_values_of(r, JST_DECODE_GPU_SLICE_VALUES + w)[r->count] = jst_number(gained[w]);
    r->count++;
    return true;
}

/* ---- records ---- */

/* Words that only a newer runtime has are skipped. */
static bool take_places(jst_job *j, jst_cursor *c, bool wanted, int64_t slice, int32_t span)
{
    uint64_t next = 0, gap;
    while ((gap = jst_take_varint(c)) != 0) {
        uint64_t at = next + gap - 1, gained[WORDS_MAX] = {0}, mask = jst_take_varint(c);
        if (c->p == NULL || gap > PLACES_MAX || at >= PLACES_MAX)
            return false;
        for (; mask != 0; mask &= mask - 1) {
            unsigned w = (unsigned)__builtin_ctzll(mask);
            uint64_t v = jst_take_varint(c);
            if (w < WORDS_MAX)
                j->gpus->sums[at][w] += gained[w] = v;
        }
        if (c->p == NULL || (wanted && !put_row(j, at, gained, slice, span)))
            return false;
        next = at + 1;
    }
    return c->p != NULL;
}

/* Rows of a record that turns out to be damaged are removed. */
bool jst_gpus_take(jst_job *j, jst_cursor c, bool wanted)
{
    jst_rows *r = &j->d->tables[JST_DECODE_GPU_SLICES];
    const uint64_t before = r->count;
    if (!begin(j))
        return false;
    uint64_t slice = j->gpus->expected + (uint64_t)jst_unzigzag(jst_take_varint(&c));
    uint64_t span = jst_take_varint(&c);
    if (c.p != NULL && span > 0 && span <= INT32_MAX &&
        take_places(j, &c, wanted, (int64_t)slice, (int32_t)span)) {
        j->gpus->expected = slice + span;
        return true;
    }
    r->count = before;
    return false;
}

/* ---- the state for a later reading ---- */

/* 0, or 1, the slice and the sums of each used place: gap, mask and numbers; 0. */
void jst_gpus_save(jst_job *j)
{
    const struct jst_gpus *g = j->gpus;
    unsigned next = 0;
    jst_state_number(j, g != NULL);
    if (g == NULL)
        return;
    jst_state_number(j, g->expected);
    for (unsigned at = 0; at < PLACES_MAX; at++) {
        uint64_t mask = 0;
        for (unsigned w = 0; w < WORDS_MAX; w++)
            mask |= (uint64_t)(g->sums[at][w] != 0) << w;
        if (mask == 0)
            continue;
        jst_state_number(j, at - next + 1);
        jst_state_number(j, mask);
        for (unsigned w = 0; w < WORDS_MAX; w++)
            if (mask >> w & 1)
                jst_state_number(j, g->sums[at][w]);
        next = at + 1;
    }
    jst_state_number(j, 0);
}

bool jst_gpus_restore(jst_job *j, jst_cursor *c)
{
    uint64_t gap, next = 0, known = jst_take_varint(c);
    if (c->p == NULL || known > 1)
        return false;
    if (known == 0)
        return true;
    if (!begin(j))
        return false;
    j->gpus->expected = jst_take_varint(c);
    while ((gap = jst_take_varint(c)) != 0) {
        uint64_t mask = jst_take_varint(c);
        if (gap > PLACES_MAX - next || mask >> WORDS_MAX != 0)
            return false;
        next += gap;
        for (; mask != 0; mask &= mask - 1)
            j->gpus->sums[next - 1][__builtin_ctzll(mask)] = jst_take_varint(c);
    }
    return c->p != NULL;
}

/* ---- the table in the header ---- */

/* Number of used places, 0 also where the table is invalid. */
static uint64_t places_of(jst_job *j)
{
    uint64_t at = JST_HEADER(j, gpus_offset), bytes = JST_HEADER(j, gpu_bytes);
    uint64_t capacity = JST_HEADER(j, gpus_capacity);
    uint64_t used = JST_HEADER(j, gpus_used);
    if (capacity == 0 || used == 0)
        return 0;
    if (capacity > PLACES_MAX || bytes < sizeof(jst_gpu) ||
        !jst_head_holds(j, at, capacity * bytes)) {
        jst_warn(j, at, "the table of GPUs is not inside the header");
        return 0;
    }
    return used < capacity ? used : capacity;
}

static const uint8_t *place_at(jst_job *j, uint64_t place)
{
    uint64_t at = JST_HEADER(j, gpus_offset), bytes = JST_HEADER(j, gpu_bytes);
    return jst_source_at(j->s, at + place * bytes, sizeof(jst_gpu));
}

#define TEXT(j, e, n, raw, field)                                                                  \
    jst_event_text(                                                                                \
        j, e, n, (raw) + offsetof(jst_gpu, field),                                                 \
        strnlen((const char *)(raw) + offsetof(jst_gpu, field), sizeof((jst_gpu *)0)->field))

void jst_gpus_names(jst_job *j)
{
    jst_source_forget(j->s);
    uint64_t places = places_of(j);
    for (uint64_t i = 0; i < places && !j->no_memory; i++) {
        const uint8_t *raw = place_at(j, i);
        jst_decode_event *e = raw == NULL ? NULL : jst_event_add(j, JST_DECODE_EVENT_GPU, 0);
        if (e == NULL)
            return;
        e->number[0] = i;
        e->number[1] = jst_load32(raw + offsetof(jst_gpu, numa));
        e->number[2] = (uint64_t)jst_number(jst_load64(raw + offsetof(jst_gpu, memory_bytes)));
        TEXT(j, e, 0, raw, pci);
        TEXT(j, e, 1, raw, uuid);
        TEXT(j, e, 2, raw, name);
        TEXT(j, e, 3, raw, path);
    }
}

void jst_gpus_remainder(jst_job *j)
{
    uint64_t slice_ns = JST_HEADER(j, slice_ns), end_ns = JST_HEADER(j, end_ns);
    uint64_t places = places_of(j);
    if (places == 0 || !begin(j))
        return;
    uint64_t first = JST_HEADER(j, gpu_slice);
    if (first < j->gpus->expected) /* killed between a record and this word */
        first = j->gpus->expected;
    uint64_t last = (end_ns != 0 ? end_ns : JST_HEADER(j, heartbeat_ns)) / slice_ns;
    if (first > INT64_MAX)
        return;
    jst_source_forget(j->s);
    for (uint64_t i = 0; i < places; i++) {
        const uint8_t *raw = place_at(j, i);
        uint64_t gained[WORDS_MAX], any = 0;
        if (raw == NULL)
            return;
        for (unsigned w = 0; w < WORDS_MAX; w++) {
            uint64_t total = jst_load64(raw + offsetof(jst_gpu, words) + 8 * (size_t)w);
            uint64_t sum = j->gpus->sums[i][w];
            gained[w] = total > sum ? total - sum : 0;
            any |= gained[w];
        }
        if (any != 0 && !put_row(j, i, gained, (int64_t)first, jst_span(first, last)))
            return;
    }
}
