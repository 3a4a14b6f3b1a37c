/* test_main_cpu.c: tests on which core the main thread was last seen. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../src/modules/probes/main_cpu.c"

uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static void the_core_is_field_39(void **state)
{
    (void)state;
    assert_int_equal(
        core_in("7 (a) b) R 1 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 "
                "28 29 30 31 32 33 34 35 36 37 38 139 40 41\n"),
        139);
    assert_int_equal(core_in("7 (name) R 1 5 6\n"), -1);
    assert_int_equal(core_in(""), -1);
}

static cpu_set_t allowed(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

/* Whether it moved or was already there: the mask is as before. */
static void the_mask_is_restored(void **state)
{
    (void)state;
    cpu_set_t before = allowed();
    jst_main_cpu_begin();
    for (int i = 0; i < 100; i++)
        if (jst_main_cpu_visit())
            jst_main_cpu_leave();
    cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&before, &after));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_is_field_39),
        cmocka_unit_test(the_mask_is_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
