/* test_ccl.c: tests which groups are the world, and where boundaries are when operations end in any
 * order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../src/clock.h"
#include "../src/sys.h"

static uint64_t fake_now; /* a tick is a nanosecond */
#define jst_ticks() fake_now
#define jst_clock_ns(clock) fake_now

#include "../src/ccl/ccl.c"

/* The runtime around it, as far as it is needed. */
jst_area jst_a;
_Atomic uint32_t jst_state = JST_RUNNING;
uint64_t jst_tick_ns = (uint64_t)1 << 32, jst_own_read_bytes, jst_own_read_calls,
         jst_own_write_bytes, jst_own_write_calls;
jst_block *jst_segment_owner;
bool jst_segments_of_process;
jst_site jst_sites[JST_SITES];

static jst_block threads[80];
static uint64_t boundaries[200], put, off_cpu;

void jst_mpi_initialising(void) {}

void jst_mpi_world(uint32_t size, uint32_t rank)
{
    jst_a.head.world_size = size;
    jst_a.head.world_rank = rank;
}

void jst_mpi_initialised(uint32_t size, uint32_t rank, uint32_t level, uint32_t app, bool spawned)
{
    (void)level, (void)app, (void)spawned;
    jst_mpi_world(size, rank);
    jst_a.head.mpi_state = JST_MPI_STATE_INITIALISED;
}

bool jst_mpi_runs(void)
{
    return jst_a.head.mpi_state == JST_MPI_STATE_INITIALISED;
}

void jst_mpi_off_cpu(jst_block *b, uint64_t began, uint64_t now, uint64_t used)
{
    (void)b;
    off_cpu += now - began > used ? now - began - used : 0;
}

jst_site *jst_site_search(uint64_t key, uintptr_t address, const char *func, unsigned klass,
                          uint64_t bytes)
{
    (void)key, (void)address, (void)func, (void)klass, (void)bytes;
    return &jst_sites[0];
}

void jst_segment_global(jst_block *b, const jst_mpi_call *c, jst_site *s, uint64_t bytes,
                        uint64_t now)
{
    (void)b, (void)c, (void)s, (void)now;
    boundaries[put++] = bytes; /* tests put the number here */
}

void *jst_object_with(const char *const *wanted, bool (*is_ours)(const void *))
{
    (void)wanted, (void)is_ours;
    return NULL;
}

static int begin(void **state)
{
    (void)state;
    jst_ccl_child();
    world.never = false;
    memset(&jst_a, 0, sizeof jst_a);
    put = off_cpu = 0;
    fake_now = 1000;
    setenv("RANK", "1", 1);
    setenv("WORLD_SIZE", "4", 1);
    return 0;
}

/* ---- worlds ---- */

static const char places[8]; /* addresses of groups */

static bool joins(unsigned place, uint32_t rank, uint32_t size, bool on_gpus)
{
    jst_ccl_group group = {&places[place], rank, size, on_gpus ? "NCCL 2.27.3" : "gloo", on_gpus};
    return jst_ccl_joins(&group);
}

static void the_first_group_of_all_is_the_world(void **state)
{
    (void)state;
    assert_false(joins(0, 0, 2, false)); /* a pair */
    assert_false(joins(1, 2, 4, false)); /* another's number */
    assert_int_equal(jst_a.head.world_size, 0);
    assert_true(joins(2, 1, 4, false));
    assert_int_equal(jst_a.head.world_size, 4);
    assert_int_equal(jst_a.head.world_rank, 1);
    assert_string_equal(jst_a.head.mpi_library, "gloo");
    assert_true(joins(2, 1, 4, false));
    assert_false(joins(3, 1, 4, false)); /* a second one */
    assert_false(joins(2, 0, 2, false)); /* its place is another's */
}

/* The group of GPUs becomes the world, whichever is first, until it is destroyed. */
static void the_group_of_gpus_takes_over(void **state)
{
    (void)state;
    jst_ccl_group gpus = {&places[1], 1, 4, "NCCL 2.27.3", true};
    assert_true(joins(0, 1, 4, false));
    assert_true(jst_ccl_joins(&gpus));
    assert_string_equal(jst_a.head.mpi_library, "NCCL 2.27.3");
    assert_false(joins(0, 1, 4, false));
    assert_false(joins(2, 1, 4, true));
    jst_ccl_leaves(&gpus);
    assert_true(joins(2, 1, 4, true));
    assert_false(jst_ccl_joins(&gpus));
    begin(NULL);
    assert_true(jst_ccl_joins(&gpus));
    assert_false(joins(0, 1, 4, false));
}

/* gloo does not report the end of a group: only another one is used from some time on. */
static void another_group_of_all_follows(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    for (unsigned i = 1; i < SILENT; i++)
        assert_false(joins(3, 1, 4, false));
    assert_true(joins(0, 1, 4, false)); /* it is still there */
    for (unsigned i = 1; i < SILENT; i++)
        assert_false(joins(3, 1, 4, false));
    assert_false(joins(4, 1, 4, false)); /* a third one */
    for (unsigned i = 1; i < SILENT; i++) {
        assert_false(joins(5, 2, 4, false));
        assert_false(joins(6, 0, 2, false));
        assert_false(joins(3, 1, 4, false));
    }
    assert_true(joins(3, 1, 4, false));
    assert_false(joins(0, 1, 4, false));
}

static void no_group_follows_that_of_gpus(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, true));
    for (unsigned i = 0; i < 2 * SILENT; i++) {
        assert_false(joins(1, 1, 4, false));
        assert_false(joins(2, 1, 4, true));
    }
    assert_true(joins(0, 1, 4, true));
}

static void another_group_has_its_place(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    assert_false(joins(0, 0, 2, false));
    assert_true(joins(3, 1, 4, false));
    assert_false(joins(0, 0, 2, false));
    assert_true(joins(3, 1, 4, false));
}

static void an_mpi_was_here_first(void **state)
{
    (void)state;
    jst_a.head.mpi_state = JST_MPI_STATE_INITIALISED;
    assert_false(joins(0, 1, 4, true));
    assert_string_equal(jst_a.head.mpi_library, "");
}

static void head_is(uint32_t rank, uint32_t size, const char *library)
{
    assert_int_equal(jst_a.head.world_rank, rank);
    assert_int_equal(jst_a.head.world_size, size);
    assert_string_equal(jst_a.head.mpi_library, library);
}

/* The largest one that was used is the world; of several, that of GPUs. */
static void no_rank_given(void **state)
{
    (void)state;
    unsetenv("RANK");
    assert_false(joins(0, 0, 1, false)); /* alone */
    head_is(0, 0, "");
    assert_true(joins(1, 1, 2, true));
    head_is(1, 2, "NCCL 2.27.3");
    assert_false(joins(2, 0, 2, true)); /* another of two */
    assert_true(joins(3, 3, 4, false));
    head_is(3, 4, "gloo");
    assert_false(joins(1, 1, 2, true));
    assert_false(joins(4, 0, 4, true)); /* another number than it has */
    assert_true(joins(5, 3, 4, true));
    head_is(3, 4, "NCCL 2.27.3");
    assert_false(joins(6, 1, 3, true));
    head_is(3, 4, "NCCL 2.27.3");
}

static void no_rank_given_and_an_mpi_was_here_first(void **state)
{
    (void)state;
    unsetenv("RANK");
    jst_a.head.mpi_state = JST_MPI_STATE_INITIALISED;
    assert_false(joins(0, 1, 4, true));
    head_is(0, 0, "");
}

static void numbers_that_are_none(void **state)
{
    (void)state;
    static const char *const ranks[] = {"", "1x", "-1", "x", "99999999999999999999"};
    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        begin(NULL);
        setenv("RANK", ranks[i], 1);
        assert_true(joins(0, 2, 3, false)); /* as if there were none */
    }
}

static void a_child_is_no_rank(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    jst_ccl_child();
    jst_a.head.mpi_state = 0;
    assert_false(joins(0, 1, 4, false));
    jst_ccl_child(); /* and its child is none */
    assert_false(joins(0, 1, 4, false));
}

/* The process that started the ranks has their variables, but is no rank: a child of it is one. */
static void a_child_of_a_launcher_is_a_rank(void **state)
{
    (void)state;
    assert_false(joins(0, 0, 2, false));
    jst_ccl_child();
    assert_true(joins(0, 1, 4, false));
}

/* ---- boundaries ---- */

static jst_mpi_call call_of(uint64_t number, unsigned thread, bool global)
{
    return (jst_mpi_call){.block = &threads[thread],
                          .func = "gloo::allreduce",
                          .bytes = number,
                          .flags = global ? JST_MPI_GLOBAL : 0};
}

static void starts(uint64_t number, unsigned thread)
{
    jst_mpi_call c = call_of(number, thread, true);
    jst_ccl_begins(number, &c);
    fake_now += 10;
}

static void stops(uint64_t number, unsigned thread)
{
    jst_mpi_call c = call_of(number, thread, true);
    fake_now += 10;
    jst_ccl_ends(number, &c);
}

static void put_are(const uint64_t *numbers, unsigned count)
{
    assert_int_equal(put, count);
    assert_memory_equal(boundaries, numbers, count * sizeof *numbers);
}

static void in_the_order_of_enqueueing(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    for (unsigned i = 0; i < 3; i++)
        starts(i, i);
    stops(2, 2);
    assert_int_equal(put, 0);
    stops(0, 0);
    put_are((uint64_t[]){0}, 1);
    stops(1, 1);
    put_are((uint64_t[]){0, 1, 2}, 3);
}

/* Numbers may begin high (a group that was used before), and a broadcast is no boundary. */
static void from_the_first_one_seen(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    starts(1000, 0);
    stops(1000, 0);
    jst_mpi_call c = call_of(1001, 0, false);
    jst_ccl_begins(1001, &c);
    jst_ccl_ends(1001, &c);
    starts(1002, 0);
    stops(1002, 0);
    put_are((uint64_t[]){1000, 1002}, 2);
    starts(999, 0); /* too late */
    stops(999, 0);
    assert_int_equal(put, 2);
}

/* A missing number is waited for, but not for ever. */
static void a_number_that_is_missing(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    for (uint64_t number = 1; number < PASSED; number++) {
        starts(number, 0);
        stops(number, 0);
        assert_int_equal(put, 0);
    }
    starts(PASSED, 0);
    stops(PASSED, 0);
    assert_true(put > 0);
    assert_int_equal(boundaries[0], 1);
    starts(PASSED + 1, 0);
    stops(PASSED + 1, 0);
    assert_int_equal(boundaries[put - 1], PASSED + 1);
    assert_int_equal(put, PASSED + 1);
}

/* An operation without a place in the table is no boundary; the others are. */
static void more_than_fit(void **state)
{
    (void)state;
    const unsigned many = OPERATIONS + 10;
    assert_true(joins(0, 1, 4, false));
    for (unsigned i = 0; i < many; i++)
        starts(i, i);
    for (unsigned i = many; i-- > 0;)
        stops(i, i);
    assert_int_equal(put, OPERATIONS);
    for (unsigned i = 0; i < put; i++)
        assert_int_equal(boundaries[i], i);
    starts(many, 0);
    for (uint64_t number = many; number <= many + PASSED; number++) {
        starts(number, 0);
        stops(number, 0);
    }
    assert_int_equal(boundaries[put - 1], many + PASSED);
    assert_int_equal(world.in_flight, 0);
}

/* An operation that ended by an exception: its thread begins the next one. */
static void what_never_ended(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    starts(0, 0);
    stops(0, 0);
    starts(1, 0);
    for (uint64_t number = 2; number < 2 + PASSED; number++) {
        starts(number, 0);
        stops(number, 0);
    }
    assert_int_equal(world.in_flight, 0);
    assert_int_equal(boundaries[1], 2);
}

/* The group of all was destroyed, and the next one is at its place: its numbers begin at 0 again. */
static void numbers_begin_again(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    for (uint64_t number = 0; number < 5; number++) {
        starts(number, 0);
        stops(number, 0);
    }
    starts(1, 1); /* of two threads the second one may be first */
    starts(0, 0);
    stops(1, 1);
    stops(0, 0);
    put_are((uint64_t[]){0, 1, 2, 3, 4, 0, 1}, 7);
    for (uint64_t number = 2; number < 2 * OPERATIONS; number++) {
        starts(number, 0);
        stops(number, 0);
    }
    starts(2 * OPERATIONS, 1); /* ends by an exception, with the group */
    put = 0;
    starts(0, 0);
    stops(0, 0);
    starts(1, 0);
    stops(1, 0);
    put_are((uint64_t[]){0, 1}, 2);
}

/* Time in which nothing was in progress, and the process had no core. */
static void time_off_the_cpu(void **state)
{
    (void)state;
    assert_true(joins(0, 1, 4, false));
    starts(0, 0);
    starts(1, 1);
    stops(0, 0);
    stops(1, 1);
    world.looked_cpu = fake_now + 400; /* of the next 500 ns 100 on a core */
    fake_now += 500;
    starts(2, 0);
    assert_int_equal(off_cpu, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_group_of_all_is_the_world, begin),
        cmocka_unit_test_setup(the_group_of_gpus_takes_over, begin),
        cmocka_unit_test_setup(another_group_of_all_follows, begin),
        cmocka_unit_test_setup(no_group_follows_that_of_gpus, begin),
        cmocka_unit_test_setup(another_group_has_its_place, begin),
        cmocka_unit_test_setup(an_mpi_was_here_first, begin),
        cmocka_unit_test_setup(no_rank_given, begin),
        cmocka_unit_test_setup(no_rank_given_and_an_mpi_was_here_first, begin),
        cmocka_unit_test_setup(numbers_that_are_none, begin),
        cmocka_unit_test_setup(a_child_is_no_rank, begin),
        cmocka_unit_test_setup(a_child_of_a_launcher_is_a_rank, begin),
        cmocka_unit_test_setup(in_the_order_of_enqueueing, begin),
        cmocka_unit_test_setup(from_the_first_one_seen, begin),
        cmocka_unit_test_setup(a_number_that_is_missing, begin),
        cmocka_unit_test_setup(more_than_fit, begin),
        cmocka_unit_test_setup(what_never_ended, begin),
        cmocka_unit_test_setup(numbers_begin_again, begin),
        cmocka_unit_test_setup(time_off_the_cpu, begin),
    };
    return cmocka_run_group_tests_name("ccl", tests, NULL, NULL);
}
