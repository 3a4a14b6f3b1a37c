/* encode.c: records as docs/reference/profile-format.md has them. Pure: no system call, no state. */
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

/* One value; *taken is what it stands for in the cell's own unit, 0 when it rounds to nothing. */
static uint8_t *put_value(uint8_t *p, uint8_t kind, uint64_t delta, uint64_t *taken,
                          uint64_t tick_ns)
{
    *taken = delta;
    if (kind == JST_CODE_GAUGE)
        return jst_put_svarint(p, (int64_t)delta);
    if (kind != JST_CODE_TIMER && kind != JST_CODE_NS)
        return jst_put_varint(p, delta);
    uint16_t code = jst_short_ns(kind == JST_CODE_TIMER ? to_ns(delta, tick_ns) : delta);
    uint64_t ns = jst_short_ns_value(code);
    *taken = kind == JST_CODE_TIMER ? to_ticks(ns, tick_ns) : ns;
    if (*taken > delta)
        *taken = delta;
    *p++ = (uint8_t)code;
    *p++ = (uint8_t)(code >> 8);
    return p;
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
    uint8_t mask = 0;
    for (unsigned i = 0; i < 8; i++)
        if (delta[i] && kinds[i] != JST_CODE_UNUSED)
            mask |= (uint8_t)(1u << i);
    if (!mask)
        return p;
    bitmap[g / 8] |= (uint8_t)(1u << g % 8);
    *p++ = mask;
    for (unsigned i = 0; i < 8; i++)
        if (mask & 1u << i)
            p = put_value(p, kinds[i], delta[i], &taken[i], tick_ns);
    return p;
}

uint8_t *jst_put_cells(uint8_t *p, const uint64_t *delta, uint64_t *taken, uint64_t tick_ns)
{
    uint8_t *bitmap = p;
    p = jst_begin_groups(p);
    for (unsigned g = 0; g < JST_CELL_GROUPS; g++)
        p = jst_put_group(bitmap, p, g, &delta[g * 8], &taken[g * 8], tick_ns);
    return p;
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
