/* test_memory_probe.c: tests when main memory is probed, which times count, and that each place is
 * read once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../src/block.h"
#include "../src/clock.h"
#include "../src/config.h"
#include "../src/core.h"
#include "../src/sys.h"

#define MS UINT64_C(1000000)
#define BOUNDARY (UINT64_C(4000000000) * 400000000)

static uint64_t fake_ticks(void);
static uint64_t fake_clock(int clock);
#define jst_ticks fake_ticks
#define jst_clock_ns fake_clock
#include "../src/modules/probes/memory_probe.c"

jst_config jst_cfg;
jst_life jst_now_life;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static jst_block block;
static uint64_t ticks_now, process_cpu, thread_cpu, each_probe_cpu;
static uint64_t steps[12]; /* added by each read of the clock: two for each kind of read and pass */
static unsigned step;

static uint64_t fake_ticks(void)
{
    uint64_t now = ticks_now;
    ticks_now += steps[step++ % 12];
    return now;
}

static uint64_t fake_clock(int clock)
{
    if (clock == CLOCK_THREAD_CPUTIME_ID) {
        uint64_t now = thread_cpu;
        thread_cpu += each_probe_cpu;
        return now;
    }
    return clock == CLOCK_PROCESS_CPUTIME_ID ? process_cpu : BOUNDARY - 50 * MS;
}

void jst_main_cpu_begin(void) {}

bool jst_main_cpu_visit(void)
{
    return false;
}

void jst_main_cpu_leave(void)
{
    fail();
}

static int begin(void **state)
{
    (void)state;
    memset(&block, 0, sizeof block);
    jst_cfg.memory_probe = true;
    jst_cfg.slice_ns = 100 * MS;
    jst_now_life.start_ns = 1795358766902216588u;
    shortest[0] = shortest[1] = UINT64_MAX;
    each_probe_cpu = 0;
    jst_memory_probe_open();
    return 0;
}

/* Three passes: times of the chase and of the stream. */
static void run(const uint64_t chases[3], const uint64_t streams[3])
{
    step = 0;
    for (int pass = 0; pass < 3; pass++) {
        steps[4 * pass] = chases[pass];
        steps[4 * pass + 2] = streams[pass];
    }
    not_before = 0;
    jst_memory_probe_run(&block, BOUNDARY - 50 * MS, BOUNDARY - 49 * MS, BOUNDARY);
}

static uint64_t cell(unsigned number)
{
    return block.cells[number];
}

static void off_is_never_due(void **state)
{
    (void)state;
    jst_cfg.memory_probe = false;
    assert_int_equal(jst_memory_probe_due(BOUNDARY - 100 * MS, BOUNDARY), 0);
}

/* Whatever the phase: one in a slice of 0.1 s, eight in longer ones, in the longest one a second; none
 * near the boundary. */
static void eight_times_a_slice(void **state)
{
    (void)state;
    static const uint64_t slices[] = {100 * MS, 1000 * MS, 4000 * MS, 60000 * MS};
    static const unsigned wanted[] = {1, 8, 8, 60};
    for (uint64_t seed = 0; seed < 500; seed++)
        for (unsigned i = 0; i < 4; i++) {
            jst_cfg.slice_ns = slices[i];
            jst_now_life.start_ns = seed * UINT64_C(982451653);
            for (unsigned slice = 0; slice < 3; slice++) {
                uint64_t now = BOUNDARY + slice * slices[i], end = now + slices[i];
                unsigned runs = 0;
                for (uint64_t due; (due = jst_memory_probe_due(now, end)) != 0; now = due, runs++) {
                    assert_true(due > now);
                    assert_true(due + CLEAR_NS <= end);
                }
                assert_in_range(runs, wanted[i] - 1, wanted[i]);
                assert_true(i > 0 || runs == 1);
            }
        }
}

static void processes_have_places_of_their_own(void **state)
{
    (void)state;
    unsigned seen[10] = {0};
    for (uint64_t n = 0; n < 1000; n++) {
        jst_now_life.start_ns = 1795358766902216588u + n * 1000003;
        uint64_t due = jst_memory_probe_due(BOUNDARY, BOUNDARY + 100 * MS);
        assert_in_range(due - BOUNDARY, 4 * MS, 96 * MS);
        seen[(due - BOUNDARY) / (10 * MS)]++;
    }
    for (unsigned i = 1; i < 9; i++)
        assert_in_range(seen[i], 60, 160);
}

static void the_least_of_three_counts_for_each_way_to_read(void **state)
{
    (void)state;
    run((const uint64_t[]){9000, 800000, 7000}, (const uint64_t[]){3000, 2500, 2000000});
    assert_int_equal(cell(JST_CELL_MEMORY_LATENCY_NS), 7000);
    assert_int_equal(cell(JST_CELL_MEMORY_STREAM_NS), 2500);
    assert_int_equal(cell(JST_CELL_MEMORY_PROBE_COUNT), 1);
}

static void what_no_memory_takes_is_left_out(void **state)
{
    (void)state;
    run((const uint64_t[]){0, 0, 0}, (const uint64_t[]){5, 5, 5}); /* a clock that stands still */
    run((const uint64_t[]){6000, 6000, 6000}, (const uint64_t[]){2000, 2000, 2000});
    run((const uint64_t[]){6000, 6000, 6000}, (const uint64_t[]){400000, 400000, 400000});
    assert_int_equal(cell(JST_CELL_MEMORY_PROBE_COUNT), 1);
    assert_int_equal(cell(JST_CELL_MEMORY_STREAM_NS), 2000);
}

/* One that used less than a fiftieth of a core is idle, and its heartbeat is not woken for a
 * probe. */
static void a_process_at_rest_is_not_probed(void **state)
{
    (void)state;
    const uint64_t cpu[] = {0, 1 * MS, 3 * MS, 0};
    const bool works[] = {true, false, true, false}; /* the first time it may have computed */
    for (unsigned i = 0; i < 4; i++) {
        uint64_t now = BOUNDARY + i * 100 * MS;
        process_cpu += cpu[i];
        jst_module_memory_probe_sample(&block, now, JST_AT_BOUNDARY);
        assert_int_equal(jst_memory_probe_due(now, now + 100 * MS) != 0, works[i]);
    }
    jst_memory_probe_open(); /* another heartbeat */
    assert_true(jst_memory_probe_due(BOUNDARY, BOUNDARY + 100 * MS) != 0);
}

/* A probe that took 0.25 ms of a core leaves 250 ms without one: a thousandth of a core at most. */
static void it_costs_a_thousandth_of_a_core_at_most(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++)
        steps[i] = 1000;
    each_probe_cpu = MS / 4;
    unsigned runs = 0;
    uint64_t now = BOUNDARY, end = BOUNDARY + 10000 * MS;
    while (now < end) {
        uint64_t boundary = (now / (100 * MS) + 1) * (100 * MS);
        uint64_t due = jst_memory_probe_due(now, boundary);
        if (due)
            jst_memory_probe_run(&block, due, due, boundary);
        runs += due != 0;
        now = boundary;
    }
    assert_int_equal(cell(JST_CELL_MEMORY_PROBE_COUNT), runs);
    assert_in_range(runs, 25, 40);
}

/* The chase visits each of its places once, and two successive ones are never adjacent. */
static void each_place_is_read_once(void **state)
{
    (void)state;
    bool seen[READS] = {false};
    link_up();
    uint8_t *at = buffer;
    for (unsigned i = 0; i < READS; i++) {
        long place = (at - buffer) / APART, next = (*(uint8_t **)at - buffer) / APART;
        assert_true(place >= 0 && place < READS && !seen[place]);
        assert_true(labs(next - place) > 1);
        seen[place] = true;
        at = *(uint8_t **)at;
    }
    assert_ptr_equal(at, buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(off_is_never_due, begin),
        cmocka_unit_test_setup(eight_times_a_slice, begin),
        cmocka_unit_test_setup(processes_have_places_of_their_own, begin),
        cmocka_unit_test_setup(the_least_of_three_counts_for_each_way_to_read, begin),
        cmocka_unit_test_setup(what_no_memory_takes_is_left_out, begin),
        cmocka_unit_test_setup(a_process_at_rest_is_not_probed, begin),
        cmocka_unit_test_setup(it_costs_a_thousandth_of_a_core_at_most, begin),
        cmocka_unit_test(each_place_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
