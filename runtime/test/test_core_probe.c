/* test_core_probe.c: tests when the core-speed probe runs, and which results are kept, on a simulated
 * clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../src/block.h"
#include "../src/clock.h"
#include "../src/config.h"
#include "../src/core.h"
#include "../src/modules/core_probe.h"
#include "../src/sys.h"

#define MS UINT64_C(1000000)
#define BOUNDARY (UINT64_C(4000000000) * 400000000)

static uint64_t fake_ticks(void);
#define jst_ticks fake_ticks
#include "../src/modules/core_probe.c"

jst_config jst_cfg;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
jst_life jst_now_life;

static jst_block block;
static uint64_t clock_now, steps[3];
static unsigned step;

/* The loop takes no time here; the next step does. */
static uint64_t fake_ticks(void)
{
    uint64_t now = clock_now;
    clock_now += steps[step++ % 3];
    return now;
}

static int begin(void **state)
{
    (void)state;
    memset(&block, 0, sizeof block);
    jst_cfg.core_probe_ns = 20 * MS;
    jst_now_life.start_ns = 1795358766902216588u;
    shortest = UINT64_MAX;
    return 0;
}

static void run(uint64_t a, uint64_t b, uint64_t c)
{
    step = 0;
    steps[0] = a;
    steps[1] = b;
    steps[2] = c;
    jst_core_probe_run(&block, BOUNDARY - 50 * MS, BOUNDARY - 49 * MS, BOUNDARY);
}

static void off_is_never_due(void **state)
{
    (void)state;
    jst_cfg.core_probe_ns = 0;
    assert_int_equal(jst_core_probe_due(BOUNDARY - 100 * MS, BOUNDARY), 0);
    jst_core_probe_run(&block, 0, BOUNDARY - 100 * MS, BOUNDARY);
    assert_int_equal(block.cells[JST_CELL_CORE_PROBE_COUNT], 0);
}

/* Whatever the phase: as many runs as intervals, in order, none in the last millisecond. */
static void as_many_runs_as_intervals(void **state)
{
    (void)state;
    static const uint64_t intervals[] = {5 * MS, 20 * MS, 250 * MS, 1000 * MS};
    for (uint64_t seed = 0; seed < 500; seed++)
        for (unsigned i = 0; i < 4; i++) {
            jst_cfg.core_probe_ns = intervals[i];
            jst_now_life.start_ns = seed * UINT64_C(982451653);
            unsigned runs = 0;
            for (unsigned slice = 0; slice < 10; slice++) {
                uint64_t end = BOUNDARY + (slice + 1) * 100 * MS, now = end - 100 * MS;
                for (uint64_t due; (due = jst_core_probe_due(now, end)) != 0; now = due, runs++) {
                    assert_true(due > now);
                    assert_true(due + CLEAR_NS <= end);
                }
            }
            unsigned wanted = (unsigned)(1000 * MS / intervals[i]);
            assert_in_range(runs, wanted - 1, wanted);
        }
}

static void processes_have_places_of_their_own(void **state)
{
    (void)state;
    unsigned seen[10] = {0};
    for (uint64_t n = 0; n < 1000; n++) {
        jst_now_life.start_ns = 1795358766902216588u + n * 1000003;
        uint64_t now = BOUNDARY + 40 * MS, due = jst_core_probe_due(now, BOUNDARY + 100 * MS);
        assert_in_range(due - now, 1, 20 * MS);
        seen[(due - now - 1) / (2 * MS)]++;
    }
    for (unsigned i = 0; i < 10; i++)
        assert_in_range(seen[i], 60, 140);
}

static void neither_early_nor_at_the_boundary(void **state)
{
    (void)state;
    uint64_t due = BOUNDARY - 10 * MS;
    steps[0] = steps[1] = steps[2] = 1000;
    jst_core_probe_run(&block, due, due - 1, BOUNDARY); /* woken by a request */
    jst_core_probe_run(&block, due, BOUNDARY - CLEAR_NS / 2 + 1, BOUNDARY);
    jst_core_probe_run(&block, due, BOUNDARY + 1, BOUNDARY);
    assert_int_equal(block.cells[JST_CELL_CORE_PROBE_COUNT], 0);
    jst_core_probe_run(&block, due, BOUNDARY - CLEAR_NS, BOUNDARY);
    assert_int_equal(block.cells[JST_CELL_CORE_PROBE_COUNT], 1);
}

static void the_least_of_three_counts(void **state)
{
    (void)state;
    run(9000, 800000, 7000);
    run(900000, 8000, 800000);
    assert_int_equal(block.cells[JST_CELL_CORE_PROBE_NS], 15000);
    assert_int_equal(block.cells[JST_CELL_CORE_PROBE_COUNT], 2);
}

static void what_no_core_takes_is_left_out(void **state)
{
    (void)state;
    run(0, 5, 5); /* a clock that stands still */
    run(6000, 6000, 6000);
    run(24001, 24001, 24001);
    run(24000, 24000, 24000);
    assert_int_equal(block.cells[JST_CELL_CORE_PROBE_NS], 30000);
    assert_int_equal(block.cells[JST_CELL_CORE_PROBE_COUNT], 2);
}

static void steal_is_the_eighth_number(void **state)
{
    (void)state;
    assert_int_equal(steal_of("cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 1 1 1 1 1 1 44 1 1\n"), 88);
    assert_int_equal(steal_of("cpu  1 2 3 4 5 6 7\n"), 0); /* kernels without it */
    assert_int_equal(steal_of("cpu  1 2 3 4\ncpu0 5 6 7 8 9 10 11\n"), 0);
    assert_int_equal(steal_of(""), 0);
    assert_int_equal(count_cores("0\n"), 1);
    assert_int_equal(count_cores("0-127\n"), 128);
    assert_int_equal(count_cores("0-3,8,10-11\n"), 7);
    assert_int_equal(count_cores("\n"), 0);
    assert_int_equal(count_cores("7-5\n"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(off_is_never_due, begin),
        cmocka_unit_test(steal_is_the_eighth_number),
        cmocka_unit_test_setup(as_many_runs_as_intervals, begin),
        cmocka_unit_test_setup(processes_have_places_of_their_own, begin),
        cmocka_unit_test_setup(neither_early_nor_at_the_boundary, begin),
        cmocka_unit_test_setup(the_least_of_three_counts, begin),
        cmocka_unit_test_setup(what_no_core_takes_is_left_out, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
