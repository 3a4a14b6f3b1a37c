/* test_gpu.c: tests how a transfer is counted, also across slices, and that nothing is counted
 * twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char pci_devices[64] = "/tmp/jst_gpu_XXXXXX";
#define JST_PCI_DEVICES pci_devices

#include "../src/modules/gpu.c"
#include "../src/modules/gpu_devices.c"

#define SLICE UINT64_C(100000000)
#define K UINT64_C(17000000000)
#define END ((K + 1) * SLICE) /* of the open slice */

jst_config jst_cfg = {.slice_ns = SLICE};
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
_Atomic uint32_t jst_state = JST_RUNNING;
jst_wipe_page jst_wipe = {.mask = ~(uintptr_t)0};
static jst_block block, own; /* of a thread, of the heartbeat */
__thread jst_block *jst_tls_block;
jst_area jst_a;

static bool slice_ends; /* just when the heartbeat is asked for */

bool jst_heartbeat_runs(void)
{
    jst_a.commit[0].open_slice += slice_ends;
    return true;
}

jst_block *jst_enter_slow(void)
{
    return NULL;
}

_Atomic uint32_t jst_in_sandbox;

void jst_start(void) {}

static int begin(void **state)
{
    (void)state;
    memset(&block, 0, sizeof block);
    memset(&own, 0, sizeof own);
    jst_module_gpu_child();
    memset(&jst_a, 0, sizeof jst_a);
    jst_tls_block = &block;
    jst_a.commit[0].open_slice = K;
    jst_a.commit[1].open_slice = K;
    return 0;
}

static void is(const jst_block *b, unsigned kind, uint64_t ops, uint64_t bytes, uint64_t ns)
{
    assert_int_equal(b->cells[cell_of[kind * PER_TRANSFER + OPS]], ops);
    assert_int_equal(b->cells[cell_of[kind * PER_TRANSFER + BYTES]], bytes);
    assert_int_equal(b->cells[cell_of[kind * PER_TRANSFER + NS]], ns);
}

static void within_the_slice(void **state)
{
    (void)state;
    transfer(JST_GPUS, JST_GPU_H2D, 1000, END - 50, END - 10);
    transfer(JST_GPUS, JST_GPU_H2D, 24, END - 10, END);
    transfer(JST_GPUS, JST_GPU_SET, 7, END - SLICE - 30, END - SLICE); /* one that comes late */
    is(&block, JST_GPU_H2D, 2, 1024, 50);
    is(&block, JST_GPU_SET, 1, 7, 30);
}

/* Time is divided, bytes with it, and an operation counts where it ends. */
static void over_the_boundary(void **state)
{
    (void)state;
    transfer(JST_GPUS, JST_GPU_D2H, 1001, END - 30, END + 10);
    is(&block, JST_GPU_D2H, 0, 751, 30);
    jst_module_gpu_sample(&own, END, JST_AT_BOUNDARY); /* the slice that ends */
    is(&own, JST_GPU_D2H, 0, 0, 0);
    jst_a.commit[0].open_slice = K + 1;
    jst_module_gpu_sample(&own, END + SLICE, JST_AT_BOUNDARY);
    is(&own, JST_GPU_D2H, 1, 250, 10);
    jst_module_gpu_sample(&own, END + SLICE, JST_AT_BOUNDARY);
    is(&own, JST_GPU_D2H, 1, 250, 10);
}

/* The heartbeat opens the next slice while an operation is counted: its parts add up nevertheless. */
static void over_a_boundary_that_passes_meanwhile(void **state)
{
    (void)state;
    slice_ends = true;
    transfer(JST_GPUS, JST_GPU_D2H, 1001, END - 30, END + 10);
    slice_ends = false;
    is(&block, JST_GPU_D2H, 0, 751, 30);
    jst_module_gpu_sample(&own, END + SLICE, JST_AT_BOUNDARY);
    is(&own, JST_GPU_D2H, 1, 250, 10);
}

static void behind_the_boundary(void **state)
{
    (void)state;
    transfer(JST_GPUS, JST_GPU_PEER, UINT64_C(1) << 62, END + 10, END + 20);
    transfer(JST_GPUS, JST_GPU_D2D, 9, END + 5, END + 5);
    transfer(JST_GPUS, JST_GPU_D2D, 9, END + 50, END + 5); /* times that cannot be */
    transfer(JST_GPUS, JST_GPU_TRANSFER_COUNT, 9, END - 5, END);
    is(&block, JST_GPU_PEER, 0, 0, 0);
    jst_module_gpu_sample(&own, END, JST_AT_END); /* the process ends: all of it */
    is(&own, JST_GPU_PEER, 1, UINT64_C(1) << 62, 10);
    is(&own, JST_GPU_D2D, 2, 18, 0);
}

/* ---- GPUs ---- */

static unsigned gpu(const char *pci, const char *uuid)
{
    jst_gpu_device d = {.numa = -1};
    strcpy(d.pci, pci);
    strcpy(d.uuid, uuid);
    return jst_gpu_number(&d);
}

static uint64_t word(unsigned device, unsigned kind, unsigned part)
{
    return jst_a.gpus[device].words[kind * PER_TRANSFER + part];
}

/* Each GPU has its own numbers, the process their sum; those of a GPU without a number are in
 * none. */
static void two_gpus(void **state)
{
    (void)state;
    unsigned a = gpu("0000:3b:00.0", "GPU-a"), b = gpu("0000:d8:00.0", "GPU-b");
    transfer(a, JST_GPU_H2D, 1000, END - 50, END - 10);
    transfer(b, JST_GPU_H2D, 24, END - 10, END);
    transfer(7, JST_GPU_H2D, 100, END - 10, END);
    count(b, JST_GPU_LAUNCH, 3);
    count(JST_GPUS, JST_GPU_LAUNCH, 1);
    busy(a, END - 30, END - 10);
    busy(a, END - 10, END - 10);
    is(&block, JST_GPU_H2D, 3, 1124, 60);
    assert_int_equal(block.cells[JST_CELL_GPU_LAUNCH_OPS], 4);
    assert_int_equal(block.cells[JST_CELL_GPU_BUSY_NS], 20);
    assert_int_equal(word(a, JST_GPU_H2D, OPS), 1);
    assert_int_equal(word(a, JST_GPU_H2D, BYTES), 1000);
    assert_int_equal(word(a, JST_GPU_H2D, NS), 40);
    assert_int_equal(word(b, JST_GPU_H2D, BYTES), 24);
    assert_int_equal(jst_a.gpus[b].words[EVENT_WORD(JST_GPU_LAUNCH)], 3);
    assert_int_equal(jst_a.gpus[a].words[BUSY_WORD], 20);
    assert_int_equal(jst_a.gpus[b].words[BUSY_WORD], 0);
}

/* The part in the next slice is also the GPU's there. */
static void two_gpus_over_the_boundary(void **state)
{
    (void)state;
    unsigned a = gpu("0000:3b:00.0", "GPU-a"), b = gpu("0000:d8:00.0", "GPU-b");
    transfer(a, JST_GPU_D2H, 1000, END - 30, END + 10);
    busy(b, END - 5, END + 15);
    busy(JST_GPUS, END + 5, END + 6);
    assert_int_equal(word(a, JST_GPU_D2H, BYTES), 750);
    assert_int_equal(jst_a.gpus[b].words[BUSY_WORD], 5);
    jst_a.commit[0].open_slice = K + 1;
    jst_module_gpu_sample(&own, END + SLICE, JST_AT_BOUNDARY);
    assert_int_equal(word(a, JST_GPU_D2H, BYTES), 1000);
    assert_int_equal(word(a, JST_GPU_D2H, OPS), 1);
    assert_int_equal(jst_a.gpus[b].words[BUSY_WORD], 20);
    assert_int_equal(own.cells[JST_CELL_GPU_BUSY_NS], 16);
}

static void numbers_of_gpus(void **state)
{
    (void)state;
    assert_int_equal(gpu("0000:3B:00.0", "GPU-a"), 0);
    assert_int_equal(gpu("00000000:3b:00.0", "GPU-a"), 0); /* as NVML writes it */
    assert_int_equal(gpu("0000:3b:00.0", "MIG-1"), 1);
    assert_string_equal(jst_a.gpus[0].pci, "0000:3b:00.0");
    assert_string_equal(jst_a.gpus[1].uuid, "MIG-1");
    assert_int_equal(gpu("../../etc/passwd", ""), 2);
    assert_string_equal(jst_a.gpus[2].pci, "");
    jst_gpu_device unfinished;
    memset(&unfinished, 'x', sizeof unfinished); /* no text ends */
    assert_int_equal(jst_gpu_number(&unfinished), 3);
    assert_int_equal(strlen(jst_a.gpus[3].uuid), 63);
    for (unsigned i = 4; i < JST_GPUS; i++) {
        char uuid[] = {'u', (char)('a' + i), 0};
        assert_int_equal(gpu("", uuid), i);
    }
    assert_int_equal(gpu("", "one more"), JST_GPUS);
    assert_int_equal(gpu("0000:3b:00.0", "MIG-1"), 1);
    assert_int_equal(jst_a.head.gpus_used, JST_GPUS);
}

/* Path and NUMA node come from the kernel's tree, unless the recorder knows them. */
static void where_a_gpu_hangs(void **state)
{
    (void)state;
    char file[128];
    assert_non_null(mkdtemp(pci_devices));
    strcat(pci_devices, "/");
    snprintf(file, sizeof file, "%s0000:a1:00.0", pci_devices);
    assert_int_equal(symlink("../../devices/pci0000:a0/0000:a0:01.1/0000:a1:00.0", file), 0);
    assert_int_equal(gpu("0000:A1:00.0", "GPU-a"), 0);
    assert_string_equal(jst_a.gpus[0].path, "pci0000:a0/0000:a0:01.1/0000:a1:00.0");
    assert_int_equal(jst_a.gpus[0].numa, 0);
    unlink(file);
    mkdir(file, 0700);
    strcat(file, "/numa_node");
    FILE *f = fopen(file, "w");
    fputs("1\n", f);
    fclose(f);
    assert_int_equal(gpu("0000:a1:00.0", "GPU-b"), 1);
    assert_int_equal(jst_a.gpus[1].numa, 2);
    assert_string_equal(jst_a.gpus[1].path, "");
    jst_gpu_device device = {.pci = "0000:a1:00.0", .path = "pci0000:a0/x", .numa = 3};
    assert_int_equal(jst_gpu_number(&device), 2);
    assert_int_equal(jst_a.gpus[2].numa, 4);
    assert_string_equal(jst_a.gpus[2].path, "pci0000:a0/x");
    unlink(file);
    *strrchr(file, '/') = 0;
    rmdir(file);
    rmdir(pci_devices);
}

/* A record of a short-lived process has no slices. */
static void without_slices(void **state)
{
    (void)state;
    jst_state = JST_LAZY;
    transfer(JST_GPUS, JST_GPU_D2D, 9, END + 5, END + 6);
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
    block.mark = JST_CELL_STATE_P2P_NS; /* inside an MPI call the MPI's mark is kept */
    wait_end(wait_begin());
    assert_int_equal(block.mark, JST_CELL_STATE_P2P_NS);
    assert_int_equal(block.cells[JST_CELL_GPU_WAIT_OPS], 2);
    block.mark = 0;
    uint64_t so_far = block.cells[JST_CELL_GPU_WAIT_NS];
    t = wait_begin();
    block.mark = 0; /* a jump ended it */
    wait_end(t);
    assert_int_equal(block.cells[JST_CELL_GPU_WAIT_NS], so_far);
}

/* One note is kept until it has been read. */
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

static void one_recorder(void **state)
{
    static const jst_gpu_recorder first = {JST_GPU_INTERFACE, sizeof first, NULL};
    static const jst_gpu_recorder second = {JST_GPU_INTERFACE, sizeof second, NULL};
    (void)state;
    const jst_gpu_host *host = jst_gpu_join(&first);
    assert_non_null(host);
    assert_null(jst_gpu_join(&second));
    host->over(); /* it gives up */
    assert_non_null(jst_gpu_join(&second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(within_the_slice, begin),
        cmocka_unit_test_setup(over_the_boundary, begin),
        cmocka_unit_test_setup(over_a_boundary_that_passes_meanwhile, begin),
        cmocka_unit_test_setup(behind_the_boundary, begin),
        cmocka_unit_test_setup(two_gpus, begin),
        cmocka_unit_test_setup(two_gpus_over_the_boundary, begin),
        cmocka_unit_test_setup(numbers_of_gpus, begin),
        cmocka_unit_test_setup(where_a_gpu_hangs, begin),
        cmocka_unit_test_setup(without_slices, begin),
        cmocka_unit_test_setup(waits, begin),
        cmocka_unit_test_setup(notes, begin),
        cmocka_unit_test_setup(one_recorder, begin),
    };
    return cmocka_run_group_tests_name("gpu", tests, NULL, NULL);
}
