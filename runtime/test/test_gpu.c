/* test_gpu.c: what a transfer is booked as, where slices meet, and that nothing is booked twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../src/modules/gpu.c"

#define SLICE UINT64_C(100000000)
#define K UINT64_C(17000000000)
#define END ((K + 1) * SLICE) /* of the open slice */

jst_config jst_cfg = {.slice_ns = SLICE};
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
_Atomic uint32_t jst_state = JST_RUNNING;
jst_wipe_page jst_wipe = {.mask = ~(uintptr_t)0};
static jst_block block, own; /* of a thread, of the heartbeat */
__thread jst_block *jst_tls_block;
uint32_t jst_no_tsc;
jst_area jst_a;

jst_block *jst_enter_slow(void)
{
    return NULL;
}

bool jst_may_syscall(void)
{
    return true;
}

void jst_start(void) {}

static int begin(void **state)
{
    (void)state;
    memset(&block, 0, sizeof block);
    memset(&own, 0, sizeof own);
    jst_module_gpu_child();
    jst_tls_block = &block;
    jst_a.commit[0].open_slice = K;
    jst_a.commit[1].open_slice = K;
    return 0;
}

static void is(const jst_block *b, unsigned kind, uint64_t ops, uint64_t bytes, uint64_t ns)
{
    assert_int_equal(b->cells[of_kind[kind].ops], ops);
    assert_int_equal(b->cells[of_kind[kind].bytes], bytes);
    assert_int_equal(b->cells[of_kind[kind].ns], ns);
}

static void within_the_slice(void **state)
{
    (void)state;
    transfer(JST_GPU_H2D, 1000, END - 50, END - 10);
    transfer(JST_GPU_H2D, 24, END - 10, END);
    transfer(JST_GPU_SET, 7, END - SLICE - 30, END - SLICE); /* one that comes late */
    is(&block, JST_GPU_H2D, 2, 1024, 50);
    is(&block, JST_GPU_SET, 1, 7, 30);
}

/* Time is divided, bytes with it, and an operation counts where it ends. */
static void over_the_boundary(void **state)
{
    (void)state;
    transfer(JST_GPU_D2H, 1001, END - 30, END + 10);
    is(&block, JST_GPU_D2H, 0, 751, 30);
    jst_module_gpu_sample(&own, END, JST_AT_BOUNDARY); /* the slice that ends */
    is(&own, JST_GPU_D2H, 0, 0, 0);
    jst_a.commit[0].open_slice = K + 1;
    jst_module_gpu_sample(&own, END + SLICE, JST_AT_BOUNDARY);
    is(&own, JST_GPU_D2H, 1, 250, 10);
    jst_module_gpu_sample(&own, END + SLICE, JST_AT_BOUNDARY);
    is(&own, JST_GPU_D2H, 1, 250, 10);
}

static void behind_the_boundary(void **state)
{
    (void)state;
    transfer(JST_GPU_PEER, UINT64_C(1) << 62, END + 10, END + 20);
    transfer(JST_GPU_D2D, 9, END + 5, END + 5);
    transfer(JST_GPU_D2D, 9, END + 50, END + 5); /* times that cannot be */
    transfer(JST_GPU_TRANSFER_COUNT, 9, END - 5, END);
    is(&block, JST_GPU_PEER, 0, 0, 0);
    jst_module_gpu_sample(&own, END, JST_AT_END); /* the process ends: all of it */
    is(&own, JST_GPU_PEER, 1, UINT64_C(1) << 62, 10);
    is(&own, JST_GPU_D2D, 2, 18, 0);
}

/* A record of a short process has no slices. */
static void without_slices(void **state)
{
    (void)state;
    jst_state = JST_LAZY;
    transfer(JST_GPU_D2D, 9, END + 5, END + 6);
    jst_state = JST_RUNNING;
    is(&block, JST_GPU_D2D, 1, 9, 1);
}

static void waits(void **state)
{
    (void)state;
    uint64_t t = wait_begin();
    assert_int_equal(block.mark, JST_CELL_GPU_WAIT_NS);
    wait_end(t);
    assert_int_equal(block.mark, 0);
    assert_int_equal(block.cells[JST_CELL_GPU_WAIT_OPS], 1);
    assert_true(block.cells[JST_CELL_GPU_WAIT_NS] > 0);
    block.mark = JST_CELL_STATE_P2P_NS; /* inside an MPI call the MPI's mark stays */
    wait_end(wait_begin());
    assert_int_equal(block.mark, JST_CELL_STATE_P2P_NS);
    assert_int_equal(block.cells[JST_CELL_GPU_WAIT_OPS], 2);
}

/* One note is kept until it has been asked for. */
static void notes(void **state)
{
    (void)state;
    assert_null(jst_module_gpu_missing(false));
    note("first");
    note("second");
    assert_string_equal(jst_module_gpu_missing(false), "first");
    assert_null(jst_module_gpu_missing(true));
    char text[1000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    note(text);
    assert_in_range(strlen(jst_module_gpu_missing(false)), 100, NOTE_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(within_the_slice, begin),
        cmocka_unit_test_setup(over_the_boundary, begin),
        cmocka_unit_test_setup(behind_the_boundary, begin),
        cmocka_unit_test_setup(without_slices, begin),
        cmocka_unit_test_setup(waits, begin),
        cmocka_unit_test_setup(notes, begin),
    };
    return cmocka_run_group_tests_name("gpu", tests, NULL, NULL);
}
