/* Tests rounds of the probe: each pair occurs once, both know it, and a seed decides the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../probe/rounds.h"

#define MOST 70

static void each_pair_meets_once(void **unused)
{
    static bool met[MOST][MOST];

    (void)unused;
    for (uint32_t n = 0; n < MOST; n++) {
        memset(met, 0, sizeof met);
        for (uint32_t round = 0; round < jst_rounds(n); round++)
            for (uint32_t me = 0; me < n; me++) {
                uint32_t other = jst_round_partner(n, round, me);
                if (other >= n)
                    continue;
                assert_int_not_equal(other, me);
                assert_int_equal(jst_round_partner(n, round, other), me);
                assert_false(met[me][other]);
                met[me][other] = true;
            }
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                assert_int_equal(met[a][b], a != b);
    }
}

static void a_seed_decides_the_order(void **unused)
{
    uint32_t first[MOST], again[MOST], other[MOST];
    bool seen[MOST] = {false};

    (void)unused;
    jst_rounds_order(first, MOST, 7);
    jst_rounds_order(again, MOST, 7);
    jst_rounds_order(other, MOST, 8);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    for (uint32_t i = 0; i < MOST; i++)
        seen[first[i]] = true;
    for (uint32_t i = 0; i < MOST; i++)
        assert_true(seen[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_meets_once),
        cmocka_unit_test(a_seed_decides_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
