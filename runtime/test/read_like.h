/* read_like.h: a second reader of 'S' and 'L' records, written from the document of the format
 * alone. */
#ifndef JST_READ_LIKE_H
#define JST_READ_LIKE_H

#include <stdbool.h>
#include <string.h>

#include "../src/profile/encode.h"

static const uint8_t *bits_from;
static uint64_t bit_at;

static uint64_t take_bits(unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++, bit_at++)
        v |= (uint64_t)(bits_from[bit_at / 8] >> bit_at % 8 & 1) << i;
    return v;
}

static uint64_t take_small(void)
{
    unsigned behind = 0;
    while (!take_bits(1))
        behind++;
    return (UINT64_C(1) << behind | take_bits(behind)) - 1;
}

static int take_difference(void)
{
    uint64_t n = take_small();
    return (int)(n >> 1) ^ -(int)(n & 1);
}

static uint64_t take_number(uint64_t against)
{
    unsigned n = 0;
    for (; against; against >>= 1)
        n++;
    n += (unsigned)take_difference();
    return n ? UINT64_C(1) << (n - 1) | take_bits(n - 1) : 0;
}

static bool is_time_cell(uint64_t cell)
{
    return jst_cell_kind[cell] == JST_CODE_TIMER || jst_cell_kind[cell] == JST_CODE_NS;
}

static bool is_plain_cell(uint64_t cell)
{
    return jst_cell_kind[cell] == JST_CODE_COUNTER || jst_cell_kind[cell] == JST_CODE_HISTOGRAM;
}

/* The codes of an 'L' record's cells, by those of the newest 'S' record (0: not in it). Returns its bytes. */
static uint64_t read_like(const uint8_t *p, const uint64_t *base, uint64_t *got)
{
    unsigned order[JST_CELL_COUNT], n = 0;
    bits_from = p, bit_at = 0;
    for (unsigned c = 0; c < JST_CELL_COUNT; c++) {
        got[c] = 0;
        if (!base[c])
            continue;
        unsigned back = 1;
        while (back <= n && back <= 64 &&
               !(is_plain_cell(order[n - back]) && base[order[n - back]] == base[c]))
            back++;
        bool has_back = is_plain_cell(c) && back <= n && back <= 64;
        if (is_time_cell(c)) {
            int exponent = (int)(base[c] >> 11) + take_difference();
            got[c] = (uint64_t)exponent << 11 | take_bits(11);
        } else if (has_back && take_bits(1)) {
            got[c] = got[order[n - back]];
        } else {
            got[c] = take_bits(1) ? base[c] : take_number(base[c]);
        }
        order[n++] = c;
    }
    uint64_t others = take_small(), cell = 0;
    for (uint64_t i = 0; i < others; i++, cell++) {
        cell += take_small();
        uint64_t exponent = is_time_cell(cell) ? (uint64_t)take_difference() : 0;
        got[cell] = is_time_cell(cell) ? exponent << 11 | take_bits(11) : take_number(0);
    }
    return (bit_at + 7) / 8;
}

#endif
