/* encode.c: encodes records by docs/reference/profile-format.md. Pure: no system call, no state. */
#include "encode.h"
#include "common.h"
#include "text.h"

#define BITMAP ((JST_CELL_GROUPS + 7) / 8)

uint8_t *jst_put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

uint8_t *jst_put_svarint(uint8_t *p, int64_t v)
{
    return jst_put_varint(p, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

uint8_t *jst_put_string(uint8_t *p, const char *s, size_t n)
{
    p = jst_put_varint(p, n);
    jst_copy(p, s, n);
    return p + n;
}

uint32_t jst_crc32(uint32_t crc, const void *data, size_t n)
{
    static const uint32_t nibble[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const uint8_t *p = data;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc = nibble[(crc ^ p[i]) & 15] ^ crc >> 4;
        crc = nibble[(crc ^ (uint32_t)p[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

/* Nanoseconds as 5 bits of exponent and 11 of mantissa, rounded down: 2 bytes, exact to 0.05 %. */
uint16_t jst_short_ns(uint64_t ns)
{
    if (ns < 2048)
        return (uint16_t)ns;
    unsigned e = 53 - (unsigned)__builtin_clzll(ns); /* bits - 11 */
    if (e > 31)
        return UINT16_MAX;
    return (uint16_t)(e << 11 | ((ns >> (e - 1)) & 0x7ff));
}

uint64_t jst_short_ns_value(uint16_t v)
{
    unsigned e = v >> 11;
    uint64_t m = v & 0x7ff;
    return e ? (m | 0x800) << (e - 1) : m;
}

static uint64_t to_ns(uint64_t ticks, uint64_t tick_ns)
{
    return (uint64_t)(((unsigned __int128)ticks * tick_ns) >> 32);
}

static uint64_t to_ticks(uint64_t ns, uint64_t tick_ns)
{
    return (uint64_t)((((unsigned __int128)ns << 32) + tick_ns - 1) / tick_ns);
}

static bool is_time(uint8_t kind)
{
    return kind == JST_CODE_TIMER || kind == JST_CODE_NS;
}

static bool is_plain(uint8_t kind)
{
    return kind == JST_CODE_COUNTER || kind == JST_CODE_HISTOGRAM;
}

/* A change as a number without a sign, 0 when it rounds to nothing; *taken is its value in the
 * cell's own unit. */
static uint64_t code_of(uint8_t kind, uint64_t delta, uint64_t *taken, uint64_t tick_ns)
{
    *taken = delta;
    if (kind == JST_CODE_UNUSED)
        return *taken = 0;
    if (kind == JST_CODE_GAUGE)
        return delta << 1 ^ (uint64_t)((int64_t)delta >> 63);
    if (!is_time(kind))
        return delta;
    uint16_t code = jst_short_ns(kind == JST_CODE_TIMER ? to_ns(delta, tick_ns) : delta);
    uint64_t ns = jst_short_ns_value(code);
    *taken = kind == JST_CODE_TIMER ? to_ticks(ns, tick_ns) : ns;
    if (*taken > delta)
        *taken = delta;
    return code;
}

uint8_t *jst_begin_groups(uint8_t *p)
{
    for (unsigned i = 0; i < BITMAP; i++)
        p[i] = 0;
    return p + BITMAP;
}

uint8_t *jst_put_group(uint8_t *bitmap, uint8_t *p, unsigned g, const uint64_t *delta,
                       uint64_t *taken, uint64_t tick_ns)
{
    const uint8_t *kinds = &jst_cell_kind[g * 8];
    uint8_t *mask = p;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t code = delta[i] ? code_of(kinds[i], delta[i], &taken[i], tick_ns) : 0;
        if (!code)
            continue;
        if (p == mask)
            *p++ = 0;
        *mask |= (uint8_t)(1u << i);
        if (!is_time(kinds[i])) {
            p = jst_put_varint(p, code);
            continue;
        }
        *p++ = (uint8_t)code;
        *p++ = (uint8_t)(code >> 8);
    }
    if (p != mask)
        bitmap[g / 8] |= (uint8_t)(1u << g % 8);
    return p;
}

uint8_t *jst_put_cells(uint8_t *p, const uint64_t *delta, uint64_t *taken, uint64_t tick_ns)
{
    uint8_t *bitmap = p;
    p = jst_begin_groups(p);
    for (unsigned g = 0; g < JST_CELL_GROUPS; g++)
        if (jst_any_of_group(&delta[g * JST_GROUP]))
            p = jst_put_group(bitmap, p, g, &delta[g * 8], &taken[g * 8], tick_ns);
    return p;
}

/* ---- changes relative to an earlier record ---- */

/* Bits, the lowest of each byte first. */
typedef struct bits {
    uint8_t *p;
    unsigned free; /* of the last byte */
} bits;

static void put_bits(bits *b, uint64_t v, unsigned n)
{
    while (n) {
        if (!b->free) {
            *b->p++ = 0;
            b->free = 8;
        }
        unsigned some = n < b->free ? n : b->free;
        b->p[-1] |= (uint8_t)((v & ((1u << some) - 1)) << (8 - b->free));
        v >>= some;
        b->free -= some;
        n -= some;
    }
}

static unsigned bits_in(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* As many zeros as there are bits after the first of n + 1, that one, and those bits. */
static void put_small(bits *b, uint64_t n)
{
    unsigned behind = bits_in(n + 1) - 1;
    put_bits(b, UINT64_C(1) << behind, behind + 1);
    put_bits(b, n + 1, behind);
}

static void put_difference(bits *b, int d)
{
    put_small(b, (uint64_t)(d < 0 ? -2 * d - 1 : 2 * d));
}

/* The length of a number relative to another one, and its bits after the first. */
static void put_number(bits *b, uint64_t v, uint64_t against)
{
    unsigned n = bits_in(v);
    put_difference(b, (int)n - (int)bits_in(against));
    put_bits(b, v, n ? n - 1 : 0);
}

static void put_time(bits *b, uint64_t code, uint64_t against)
{
    put_difference(b, (int)(code >> 11) - (int)(against >> 11));
    put_bits(b, code, 11);
}

void jst_base_advance(jst_base *base, const uint64_t *delta, uint64_t tick_ns)
{
    unsigned n = 0;
    uint64_t taken;
    for (unsigned i = 0; i < JST_CELL_COUNT; i++) {
        uint8_t kind = jst_cell_kind[i];
        uint64_t code = delta[i] ? code_of(kind, delta[i], &taken, tick_ns) : 0;
        if (!code)
            continue;
        uint8_t back = 0;
        for (unsigned j = 1; is_plain(kind) && !back && j <= n && j <= JST_BASE_BACK; j++)
            if (base->at[n - j].code == code && is_plain(jst_cell_kind[base->at[n - j].cell]))
                back = (uint8_t)j;
        base->at[n++] = (jst_base_cell){.code = code, .cell = (uint16_t)i, .back = back};
    }
    base->count = n;
}

/* Numbers of changed cells that are not in the base; at most so many. */
static unsigned find_others(const jst_base *base, const uint64_t *delta, uint64_t tick_ns,
                            uint16_t *others, unsigned most)
{
    unsigned n = 0;
    uint64_t taken;
    for (unsigned i = 0, at = 0; i < JST_CELL_COUNT && n <= most; i++) {
        if (at < base->count && base->at[at].cell == i) {
            at++;
            continue;
        }
        if (!delta[i] || !code_of(jst_cell_kind[i], delta[i], &taken, tick_ns))
            continue;
        if (n < most)
            others[n] = (uint16_t)i;
        n++;
    }
    return n;
}

uint8_t *jst_put_like(uint8_t *p, jst_base *base, const uint64_t *delta, uint64_t *taken,
                      uint64_t tick_ns)
{
    uint16_t others[JST_LIKE_OTHERS];
    bits b = {.p = p};
    unsigned n = find_others(base, delta, tick_ns, others, JST_LIKE_OTHERS), last = 0;
    if (n > JST_LIKE_OTHERS)
        return NULL;
    for (unsigned i = 0; i < base->count; i++) {
        jst_base_cell *c = &base->at[i];
        uint8_t kind = jst_cell_kind[c->cell];
        c->now = code_of(kind, delta[c->cell], &taken[c->cell], tick_ns);
        if (is_time(kind)) {
            put_time(&b, c->now, c->code);
            continue;
        }
        bool same = c->back && c->now == base->at[i - c->back].now;
        if (c->back)
            put_bits(&b, same, 1);
        if (same)
            continue;
        put_bits(&b, c->now == c->code, 1);
        if (c->now != c->code)
            put_number(&b, c->now, c->code);
    }
    put_small(&b, n);
    for (unsigned i = 0; i < n; i++) {
        uint16_t cell = others[i];
        uint64_t code = code_of(jst_cell_kind[cell], delta[cell], &taken[cell], tick_ns);
        put_small(&b, cell - last);
        last = cell + 1u;
        if (is_time(jst_cell_kind[cell]))
            put_time(&b, code, 0);
        else
            put_number(&b, code, 0);
    }
    return b.p;
}

uint8_t *jst_frame(uint8_t *frame, uint8_t type, size_t n, size_t *size)
{
    uint8_t length[10];
    size_t bytes = (size_t)(jst_put_varint(length, n) - length);
    uint8_t *start = frame + JST_FRAME_GAP - bytes - 1;
    start[0] = type;
    jst_copy(start + 1, length, bytes);
    uint32_t crc = jst_crc32(0, start, 1 + bytes + n);
    uint8_t *end = frame + JST_FRAME_GAP + n;
    for (unsigned i = 0; i < 4; i++)
        end[i] = (uint8_t)(crc >> 8 * i);
    *size = 1 + bytes + n + 4;
    return start;
}
