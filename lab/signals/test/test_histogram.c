/* Compares percentiles of the histogram with those of the sorted values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../src/log.h"

enum { COUNT = 20000 };

static uint64_t state = 1;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The definition: the smallest value that at least this share of all does not exceed. */
static uint64_t truth_of(const uint64_t *sorted, unsigned count, unsigned percent)
{
    unsigned rank = (percent * count + 99) / 100;
    return sorted[(rank ? rank : 1) - 1];
}

static void check(uint64_t *values, unsigned count)
{
    static struct jst_histogram h;

    h.low = JST_HISTOGRAM_BUCKETS;
    for (unsigned i = 0; i < count; i++)
        jst_histogram_add(&h, values[i]);
    qsort(values, count, sizeof *values, compare);
    for (unsigned percent = 1; percent <= 100; percent++) {
        double truth = (double)truth_of(values, count, percent);
        double got = (double)jst_histogram_quantile(&h, percent / 100.0);
        if (got < 0.99 * truth || got > 1.01 * truth)
            fail_msg("p%u: %g instead of %g", percent, got, truth);
    }
    assert_int_equal(h.max, values[count - 1]);
    assert_int_equal(h.count, count);
    jst_histogram_clear(&h);
    for (unsigned i = 0; i < JST_HISTOGRAM_BUCKETS; i++)
        assert_int_equal(h.buckets[i], 0);
}

static void within_one_percent(void **unused)
{
    static uint64_t values[COUNT];

    (void)unused;
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = next() % 1000000000;
    check(values, COUNT);
    for (unsigned i = 0; i < COUNT; i++) /* every size alike, up to hours in nanoseconds */
        values[i] = next() >> (20 + next() % 44);
    check(values, COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = i % 100 == 0 ? 5000000 : 1000 + i % 7;
    check(values, COUNT);
    values[0] = 0;
    check(values, 1);
    values[0] = UINT64_MAX;
    values[1] = 1;
    check(values, 2);
}

static void small_values_are_exact(void **unused)
{
    static struct jst_histogram h;

    (void)unused;
    for (uint64_t v = 0; v < 128; v++) {
        h.low = JST_HISTOGRAM_BUCKETS;
        jst_histogram_add(&h, v);
        assert_int_equal(jst_histogram_quantile(&h, 0.5), v);
        jst_histogram_clear(&h);
    }
}

static void merged_is_as_added(void **unused)
{
    static struct jst_histogram a, b, both;

    (void)unused;
    a.low = b.low = both.low = JST_HISTOGRAM_BUCKETS;
    jst_histogram_merge(&a, &b); /* nothing */
    assert_int_equal(a.count, 0);
    assert_int_equal(jst_histogram_quantile(&a, 0.5), 0);
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t v = next() >> (next() % 60);
        jst_histogram_add(i % 3 ? &a : &b, v);
        jst_histogram_add(&both, v);
    }
    jst_histogram_merge(&a, &b);
    assert_int_equal(a.count, both.count);
    assert_int_equal(a.max, both.max);
    assert_memory_equal(a.buckets, both.buckets, sizeof a.buckets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_one_percent),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(merged_is_as_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
