/* test_gpu_record.c: tests 'D' records: only changes, nothing twice, nothing lost, and few
 * bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../src/profile/records/gpu_record.c"
#include "../src/sys.h"

#define FIRST UINT64_C(450000000)

jst_area jst_a;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
static unsigned gpus;
static bool refused;
static uint64_t bytes;
static unsigned records;
static struct {
    uint64_t first, span, sums[JST_GPUS][WORDS];
} taken; /* the newest record; its sums are those of all */

unsigned jst_gpus_used(void)
{
    return gpus;
}

void jst_gpus_to_head(void) {}

static uint64_t take_varint(const uint8_t **p)
{
    uint64_t value = 0;
    unsigned shift = 0;
    do
        value |= (uint64_t)(**p & 0x7f) << (shift++ * 7);
    while (*(*p)++ & 0x80);
    return value;
}

bool jst_append(int fd, uint8_t type, uint8_t *frame, size_t n)
{
    const uint8_t *p = frame + JST_FRAME_GAP, *end = p + n;
    static uint64_t expected;
    (void)fd;
    assert_int_equal(type, 'D');
    if (refused)
        return false;
    uint64_t step = take_varint(&p), gap, place = 0;
    expected = records ? expected : FIRST;
    taken.first = expected + (uint64_t)((int64_t)(step >> 1) ^ -(int64_t)(step & 1));
    taken.span = take_varint(&p);
    expected = taken.first + taken.span;
    while ((gap = take_varint(&p)) != 0) {
        place += gap - 1;
        assert_true(place < JST_GPUS);
        uint64_t mask = take_varint(&p);
        assert_true(mask != 0 && mask >> WORDS == 0);
        for (unsigned w = 0; w < WORDS; w++)
            if (mask >> w & 1)
                taken.sums[place][w] += take_varint(&p);
        place++;
    }
    assert_ptr_equal(p, end);
    bytes += n + 8;
    records++;
    return true;
}

static int begin(void **state)
{
    (void)state;
    memset(&jst_a, 0, sizeof jst_a);
    memset(&taken, 0, sizeof taken);
    bytes = records = 0;
    refused = false;
    gpus = 2;
    jst_a.head.first_slice = jst_a.commit[0].open_slice = FIRST;
    jst_gpu_records_begin();
    return 0;
}

static void only_what_changed(void **state)
{
    (void)state;
    jst_gpu_records_tick(3, FIRST + 1);
    assert_int_equal(records, 0);
    jst_a.gpus[1].words[0] = 3;
    jst_a.gpus[1].words[WORDS - 1] = UINT64_C(1) << 62;
    jst_gpu_records_tick(3, FIRST + 2);
    assert_int_equal(records, 1);
    assert_true(taken.first == FIRST + 1 && taken.span == 1);
    assert_int_equal(taken.sums[1][0], 3);
    assert_int_equal(taken.sums[1][WORDS - 1], UINT64_C(1) << 62);
    jst_gpu_records_tick(3, FIRST + 3);
    assert_int_equal(records, 1);
    assert_int_equal(jst_a.head.gpu_slice, FIRST + 3);
    jst_a.gpus[0].words[4] = 1;
    jst_gpu_records_tick(3, FIRST + 7); /* it was stopped for a while */
    assert_true(taken.first == FIRST + 3 && taken.span == 4);
    assert_int_equal(taken.sums[0][4], 1);
    assert_int_equal(taken.sums[1][0], 3);
}

static void a_clock_set_back(void **state)
{
    (void)state;
    jst_a.gpus[0].words[4] = 1;
    jst_gpu_records_tick(3, FIRST - 10);
    assert_true(taken.first == FIRST && taken.span == 1);
    jst_a.gpus[0].words[4] = 2;
    jst_gpu_records_tick(3, FIRST - 9);
    assert_true(taken.first == FIRST - 10 && taken.span == 1);
    assert_int_equal(taken.sums[0][4], 2);
}

static void what_the_disk_refuses(void **state)
{
    (void)state;
    jst_a.gpus[0].words[4] = 5;
    refused = true;
    jst_gpu_records_tick(3, FIRST + 1);
    refused = false;
    jst_a.gpus[0].words[4] = 6;
    jst_gpu_records_tick(3, FIRST + 2);
    assert_true(taken.first == FIRST && taken.span == 2);
    assert_int_equal(taken.sums[0][4], 6);
}

static void no_gpu_no_record(void **state)
{
    (void)state;
    gpus = 0;
    jst_a.gpus[0].words[4] = 5;
    jst_gpu_records_tick(3, FIRST + 1);
    assert_int_equal(records, 0);
    assert_int_equal(jst_a.head.gpu_slice, FIRST + 1);
}

/* A day in which all of sixteen GPUs changes in each slice. */
static void a_day_stays_within_its_space(void **state)
{
    (void)state;
    gpus = JST_GPUS;
    for (uint64_t slice = 1; slice <= 21600; slice++) {
        for (unsigned g = 0; g < gpus; g++)
            for (unsigned w = 0; w < WORDS; w++)
                jst_a.gpus[g].words[w] += 1000000000 + slice * (w + 1);
        jst_gpu_records_tick(3, FIRST + slice);
    }
    assert_in_range(bytes, 1, 17 * 1100000);
    uint64_t open = jst_a.head.gpu_slice, whole = 0;
    for (uint64_t slice = 1; slice <= open - FIRST; slice++)
        whole += 1000000000 + slice * 4;
    assert_int_equal(taken.sums[15][3], whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_what_changed, begin),
        cmocka_unit_test_setup(a_clock_set_back, begin),
        cmocka_unit_test_setup(what_the_disk_refuses, begin),
        cmocka_unit_test_setup(no_gpu_no_record, begin),
        cmocka_unit_test_setup(a_day_stays_within_its_space, begin),
    };
    return cmocka_run_group_tests_name("gpu_record", tests, NULL, NULL);
}
