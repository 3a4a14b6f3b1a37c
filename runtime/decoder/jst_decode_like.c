/* jst_decode_like.c: slices that are encoded by their differences from an earlier record ('L'
 * records). */
#include "jst_decode_parts.h"

#define BACK 64     /* how far back an earlier cell with the same number is searched */
#define LONGEST 64u /* bits of a number */

/* Bits, the lowest of each byte first. Running over the end makes `bad` true, once and for all. */
typedef struct bits {
    const uint8_t *p;
    uint64_t at, end;
    bool bad;
} bits;

static uint64_t take_bits(bits *b, unsigned n)
{
    uint64_t v = 0;
    if (n > b->end - b->at) {
        b->bad = true;
        return 0;
    }
    for (unsigned have = 0; have < n;) {
        unsigned from = b->at % 8, some = n - have < 8 - from ? n - have : 8 - from;
        v |= (uint64_t)(b->p[b->at / 8] >> from & ((1u << some) - 1)) << have;
        have += some;
        b->at += some;
    }
    return v;
}

/* As many zeros as there are bits behind the first of n + 1, that one, and those bits. At most 2^31. */
static uint32_t take_small(bits *b)
{
    unsigned behind = 0;
    while (behind < 31 && !b->bad && take_bits(b, 1) == 0)
        behind++;
    if (behind == 31)
        b->bad = true;
    return (uint32_t)((UINT64_C(1) << behind | take_bits(b, behind)) - 1);
}

static int take_difference(bits *b)
{
    uint32_t n = take_small(b);
    return (int)(n >> 1) ^ -(int)(n & 1);
}

static unsigned bits_in(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static uint64_t take_number(bits *b, uint64_t against)
{
    int64_t n = (int64_t)bits_in(against) + take_difference(b);
    if (n < 0 || n > LONGEST)
        b->bad = true;
    if (b->bad || n == 0)
        return 0;
    return UINT64_C(1) << (n - 1) | take_bits(b, (unsigned)n - 1);
}

static uint64_t take_time(bits *b, uint64_t against)
{
    int64_t exponent = (int64_t)(against >> 11) + take_difference(b);
    uint64_t mantissa = take_bits(b, 11);
    if (exponent < 0 || exponent > 31)
        b->bad = true;
    return b->bad ? 0 : (uint64_t)exponent << 11 | mantissa;
}

static uint64_t code_of_ns(uint64_t ns)
{
    if (ns < 2048)
        return ns;
    unsigned e = bits_in(ns) - 11;
    return (uint64_t)e << 11 | (ns >> (e - 1) & 0x7ff);
}

static uint64_t value_of(uint8_t coding, uint64_t code)
{
    return coding == JST_CODED_NS      ? jst_ns_of((unsigned)code)
           : coding == JST_CODED_GAUGE ? (uint64_t)jst_unzigzag(code)
                                       : code;
}

void jst_base_take(jst_base *b, uint64_t at, const jst_table *t, const jst_moved *m)
{
    b->at = at;
    b->count = m->count;
    b->ready = false;
    for (uint32_t i = 0; i < m->count; i++) {
        uint8_t coding = t->cells[m->cells[i]].coding;
        uint64_t v = m->values[i];
        b->cells[i] = (jst_base_cell){
            .cell = m->cells[i],
            .coding = coding,
            .code = coding == JST_CODED_NS      ? code_of_ns(v)
                    : coding == JST_CODED_GAUGE ? v << 1 ^ (uint64_t)((int64_t)v >> 63)
                                                : v,
        };
    }
}

/* Only where an 'L' record follows: older files have none. */
static void make_ready(jst_base *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 1; b->cells[i].coding == JST_CODED_VARINT && j <= i && j <= BACK; j++)
            if (b->cells[i - j].coding == JST_CODED_VARINT &&
                b->cells[i - j].code == b->cells[i].code) {
                b->cells[i].back = (uint8_t)j;
                break;
            }
    b->ready = true;
}

static uint64_t take_cell(bits *b, const jst_base_cell *c)
{
    if (c->coding == JST_CODED_NS)
        return take_time(b, c->code);
    if (c->back && take_bits(b, 1))
        return (c - c->back)->now;
    return take_bits(b, 1) ? c->code : take_number(b, c->code);
}

static void put(jst_moved *m, uint32_t cell, uint8_t coding, uint64_t code)
{
    if (code == 0)
        return;
    m->cells[m->count] = (uint16_t)cell;
    m->values[m->count++] = value_of(coding, code);
}

/* Reads the cells of the base, and between them the others, in ascending order. */
bool jst_take_like(jst_cursor *c, const jst_table *t, jst_base *base, jst_moved *m)
{
    if (c->p == NULL)
        return false;
    bits b = {.p = c->p, .end = 8 * (uint64_t)(c->end - c->p)};
    if (!base->ready)
        make_ready(base);
    for (uint32_t i = 0; i < base->count && !b.bad; i++)
        base->cells[i].now = take_cell(&b, &base->cells[i]);
    uint32_t others = take_small(&b), at = 0;
    uint64_t next = 0; /* the first cell that the next other one may be */
    m->count = 0;
    for (uint32_t i = 0; i < others && !b.bad; i++) {
        uint64_t cell = next + take_small(&b);
        uint8_t coding = cell < t->cell_count ? t->cells[cell].coding : JST_CODED_NOT;
        for (; at < base->count && base->cells[at].cell < cell; at++)
            put(m, base->cells[at].cell, base->cells[at].coding, base->cells[at].now);
        if (coding == JST_CODED_NOT || (at < base->count && base->cells[at].cell == cell))
            return false;
        put(m, (uint32_t)cell, coding,
            coding == JST_CODED_NS ? take_time(&b, 0) : take_number(&b, 0));
        next = cell + 1;
    }
    for (; at < base->count; at++)
        put(m, base->cells[at].cell, base->cells[at].coding, base->cells[at].now);
    return !b.bad;
}
