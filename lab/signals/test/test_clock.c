/* Tests windows of a periodic signal and slice boundaries against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../src/clock.h"

/* t is in [k*P + phase, k*P + phase + active) for some k. */
static bool is_on(const struct jst_rhythm *r, int64_t t)
{
    int64_t into = (t - r->phase_ns) % r->period_ns;
    return (into < 0 ? into + r->period_ns : into) < r->active_ns;
}

static void windows_are_those_of_the_definition(void **unused)
{
    static const struct jst_rhythm rhythms[] = {
        {24, 12, 0}, {24, 12, 5}, {24, 12, 30}, {7, 1, 6}, {10, 10, 3}, {5, 4, 4},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rhythms / sizeof *rhythms; i++) {
        const struct jst_rhythm *r = &rhythms[i];
        for (int64_t t = 0; t < 100; t++) {
            struct jst_window w = jst_window_at(r, t);
            int64_t first = t;
            while (!is_on(r, first))
                first++;
            assert_int_equal(w.due_ns, first);
            assert_true(w.end_ns > w.due_ns);
            for (int64_t u = w.due_ns; u < w.end_ns; u++)
                assert_true(is_on(r, u));
            /* It ends where the definition's window ends, though the next may follow at once. */
            assert_true((w.end_ns - r->phase_ns - r->active_ns) % r->period_ns == 0);
        }
    }
}

static void sustained_never_ends(void **unused)
{
    const struct jst_rhythm always = {0, 0, 0};
    struct jst_window w = jst_window_at(&always, 1234567890);

    (void)unused;
    assert_int_equal(w.due_ns, 1234567890);
    assert_true(w.end_ns == INT64_MAX);
}

static void a_duty_of_nothing_goes_on(void **unused)
{
    const struct jst_rhythm never = {10, 0, 0};
    int64_t t = 3;

    (void)unused;
    for (int k = 1; k < 5; k++) {
        struct jst_window w = jst_window_at(&never, t);
        assert_int_equal(w.due_ns, 10 * k);
        assert_int_equal(w.end_ns, w.due_ns);
        t = w.end_ns;
    }
}

static void slices_ahead(void **unused)
{
    (void)unused;
    for (int64_t t = 0; t < 50; t++) {
        int64_t start = jst_slice_ahead(t, 4, 3);
        assert_int_equal(start % 4, 0);
        assert_true(start >= t + 3 && start < t + 3 + 4);
    }
    assert_true(jst_slice_ahead(1700000000123456789, 250 * JST_MS, JST_SECOND / 5) ==
                1700000000500000000);
}

static bool at_once(void *calls)
{
    return ++*(int *)calls > 2;
}

static void waiting_ends_in_time_or_when_stopped(void **unused)
{
    int calls = 0;
    int64_t now = jst_now();

    (void)unused;
    assert_true(jst_wait_until(now - 1, false, NULL, NULL));
    for (int busy = 0; busy < 2; busy++) {
        int64_t until = jst_now() + 70 * JST_MS;
        assert_true(jst_wait_until(until, busy, NULL, NULL));
        assert_true(jst_now() >= until);
    }
    jst_wait_over();
    assert_false(jst_wait_until(jst_now() + 3600 * JST_SECOND, false, at_once, &calls));
    calls = 0;
    assert_false(jst_wait_until(jst_now() + 3600 * JST_SECOND, true, at_once, &calls));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_those_of_the_definition),
        cmocka_unit_test(sustained_never_ends),
        cmocka_unit_test(a_duty_of_nothing_goes_on),
        cmocka_unit_test(slices_ahead),
        cmocka_unit_test(waiting_ends_in_time_or_when_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
