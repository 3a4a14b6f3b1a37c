/* test_encode.c: tests the encoder against docs/reference/profile-format.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../src/profile/encode.h"
#include "../src/text.h"
#include "read_like.h"

#define TICK_NS (UINT64_C(3) << 31) /* 1.5 ns per tick, 32.32 */

/* The encoder's two neighbours in text.c, whose other functions need the whole runtime. */
void jst_copy(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}

static uint64_t take_varint(const uint8_t **p)
{
    uint64_t value = 0;
    unsigned shift = 0;

    do
        value |= (uint64_t)(**p & 0x7f) << (shift++ * 7);
    while (*(*p)++ & 0x80);
    return value;
}

static uint64_t take_short_ns(const uint8_t **p)
{
    uint64_t code = (uint64_t)((*p)[0] | (*p)[1] << 8);
    uint64_t exponent = code >> 11, mantissa = code & 0x7ff;

    *p += 2;
    return exponent ? (2048 + mantissa) << (exponent - 1) : mantissa;
}

static void varint_keeps_every_value(void **state)
{
    static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT64_C(1) << 63, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint8_t bytes[10];
        const uint8_t *p = bytes;
        uint8_t *end = jst_put_varint(bytes, values[i]);
        assert_true(end - bytes <= 10);
        assert_true(take_varint(&p) == values[i]);
        assert_ptr_equal(p, end);
    }
}

static void svarint_is_zigzag(void **state)
{
    static const int64_t values[] = {0, -1, 1, -64, 64, INT64_MAX, INT64_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint8_t bytes[10];
        const uint8_t *p = bytes;
        jst_put_svarint(bytes, values[i]);
        uint64_t z = take_varint(&p);
        assert_true((int64_t)(z >> 1 ^ (0 - (z & 1))) == values[i]);
    }
}

static void crc_is_the_ieee_one(void **state)
{
    (void)state;
    assert_int_equal(jst_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(jst_crc32(0, jst_metric_table, jst_metric_table_bytes), jst_metric_table_crc);
}

static void frame_holds_type_length_and_checksum(void **state)
{
    uint8_t buffer[JST_FRAME_GAP + 300 + 4];
    size_t size = 0;

    (void)state;
    for (size_t n = 0; n <= 300; n += 150) {
        memset(buffer, 0xaa, sizeof buffer);
        const uint8_t *start = jst_frame(buffer, 'S', n, &size);
        const uint8_t *p = start + 1;
        assert_int_equal(start[0], 'S');
        assert_true(take_varint(&p) == n);
        assert_ptr_equal(p, buffer + JST_FRAME_GAP);
        uint32_t crc = jst_crc32(0, start, size - 4);
        assert_memory_equal(start + size - 4, &crc, 4);
    }
}

/* Reads the cells back; got: ns for timers. Returns the end. */
static const uint8_t *take_cells(const uint8_t *p, uint64_t *got)
{
    const unsigned groups = (JST_CELL_COUNT + 7) / 8;
    const uint8_t *bitmap = p;

    p += (groups + 7) / 8;
    for (unsigned g = 0; g < groups; g++) {
        uint8_t mask = bitmap[g / 8] & 1u << g % 8 ? *p++ : 0;
        for (unsigned i = 0; i < 8; i++) {
            uint8_t code = jst_cell_kind[g * 8 + i];
            if (!(mask & 1u << i))
                got[g * 8 + i] = 0;
            else if (code == JST_CODE_TIMER || code == JST_CODE_NS)
                got[g * 8 + i] = take_short_ns(&p);
            else
                got[g * 8 + i] = take_varint(&p);
        }
    }
    return p;
}

static void zeros_cost_only_the_bitmap(void **state)
{
    uint64_t delta[JST_CELL_COUNT] = {0}, taken[JST_CELL_COUNT] = {0};
    uint8_t bytes[JST_RECORD_MAX];

    (void)state;
    assert_int_equal(jst_put_cells(bytes, delta, taken, TICK_NS) - bytes,
                     ((JST_CELL_COUNT + 7) / 8 + 7) / 8);
}

/* The remainder of rounding is carried, so the error of the sum over records is at most the last
 * one's rounding. */
static void cells_add_up(void **state)
{
    static uint64_t left[JST_CELL_COUNT], taken[JST_CELL_COUNT], got[JST_CELL_COUNT];
    static uint64_t sum[JST_CELL_COUNT], truth[JST_CELL_COUNT];
    static uint8_t bytes[JST_RECORD_MAX];
    uint64_t random = 88172645463325252u;

    (void)state;
    for (unsigned record = 0; record < 200; record++) {
        for (unsigned c = 0; c < JST_CELL_COUNT; c++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            uint64_t more = random % 3 ? random >> (24 + random % 40) : 0;
            if (jst_cell_kind[c] == JST_CODE_UNUSED || jst_cell_kind[c] == JST_CODE_GAUGE)
                continue;
            left[c] += more;
            truth[c] += more;
        }
        memset(taken, 0, sizeof taken);
        const uint8_t *end = jst_put_cells(bytes, left, taken, TICK_NS);
        assert_ptr_equal(take_cells(bytes, got), end);
        for (unsigned c = 0; c < JST_CELL_COUNT; c++) {
            assert_true(taken[c] <= left[c]);
            left[c] -= taken[c];
            sum[c] += got[c];
        }
    }
    for (unsigned c = 0; c < JST_CELL_COUNT; c++) {
        if (jst_cell_kind[c] == JST_CODE_TIMER) {
            double ns = (double)truth[c] * 1.5, rest = (double)left[c] * 1.5;
            assert_true((double)sum[c] <= ns + 1 && (double)sum[c] + rest + 400 >= ns);
        } else {
            assert_true(sum[c] + left[c] == truth[c]);
        }
    }
}

/* Cells that change much, a little, together and not at all: everything written can be read
 * again. */
static void likes_are_recognised_by_their_base(void **state)
{
    static uint64_t delta[JST_CELL_COUNT], taken[JST_CELL_COUNT], got[JST_CELL_COUNT];
    static uint64_t codes[JST_CELL_COUNT];
    static uint8_t bytes[JST_RECORD_MAX];
    static jst_base base;
    uint64_t random = 88172645463325252u;

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        if (round % 10 == 0)
            memset(delta, 0, sizeof delta);
        for (unsigned c = 0; c < JST_CELL_COUNT; c++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            if (random % 100 < round % 20)
                delta[c] = random % 3 ? random >> (20 + random % 44) : random % 7;
            taken[c] = got[c] = 0;
        }
        if (round % 10 == 0) {
            jst_base_advance(&base, delta, TICK_NS);
            memset(codes, 0, sizeof codes);
            for (unsigned i = 0; i < base.count; i++)
                codes[base.at[i].cell] = base.at[i].code;
            continue;
        }
        const uint8_t *end = jst_put_like(bytes, &base, delta, taken, TICK_NS);
        if (!end)
            continue;
        assert_true(end <= bytes + sizeof bytes);
        assert_true(read_like(bytes, codes, got) == (uint64_t)(end - bytes));
        for (unsigned c = 0; c < JST_CELL_COUNT; c++) {
            uint8_t kind = jst_cell_kind[c];
            if (kind == JST_CODE_UNUSED)
                assert_true(got[c] == 0);
            else if (kind == JST_CODE_NS)
                assert_true(taken[c] == jst_short_ns_value((uint16_t)got[c]));
            else if (kind == JST_CODE_TIMER)
                assert_true(got[c] == 0 || taken[c] <= delta[c]);
            else if (kind == JST_CODE_GAUGE)
                assert_true(((got[c] >> 1) ^ -(got[c] & 1)) == delta[c]);
            else
                assert_true(got[c] == delta[c] && taken[c] == delta[c]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varint_keeps_every_value),
        cmocka_unit_test(svarint_is_zigzag),
        cmocka_unit_test(crc_is_the_ieee_one),
        cmocka_unit_test(frame_holds_type_length_and_checksum),
        cmocka_unit_test(zeros_cost_only_the_bitmap),
        cmocka_unit_test(cells_add_up),
        cmocka_unit_test(likes_are_recognised_by_their_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
