/* test_os.c: tests the kernel's accounts of a process, on simulated answers: the heartbeat's own
 * part is subtracted, and no answer makes a counter shrink.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "../src/block.h"
#include "../src/modules/os_cores.h"
#include "../src/profile/area.h"
#include "../src/sys.h"

static long fake_getrusage(long number, long who, struct rusage *out);
#undef jst_sys2
#define jst_sys2(number, a, b) fake_getrusage(number, a, b)
#include "../src/modules/os.c"

/* The runtime around os.c, as far as it is needed. */
jst_area jst_a;
_Atomic uint32_t jst_blocks = 1;
#ifndef __x86_64__
uint64_t jst_kernel_page = JST_PAGE;
#endif

void jst_cores_child(void) {}

void jst_cores_open(int folder)
{
    (void)folder;
}

void jst_cores_sample(jst_block *b)
{
    (void)b;
}

static struct rusage self, heartbeat, meanwhile;

/* The heartbeat is interrupted right after its first query. */
static long fake_getrusage(long number, long who, struct rusage *out)
{
    assert_int_equal(number, SYS_getrusage);
    *out = who == RUSAGE_SELF ? self : heartbeat;
    self.ru_nivcsw += meanwhile.ru_nivcsw;
    heartbeat.ru_nivcsw += meanwhile.ru_nivcsw;
    self.ru_majflt += meanwhile.ru_majflt;
    heartbeat.ru_majflt += meanwhile.ru_majflt;
    memset(&meanwhile, 0, sizeof meanwhile);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    memset(&jst_a, 0, sizeof jst_a);
    memset(&last, 0, sizeof last);
    memset(&self, 0, sizeof self);
    memset(&heartbeat, 0, sizeof heartbeat);
    memset(&meanwhile, 0, sizeof meanwhile);
    io_fd = 0; /* as in the heartbeat */
    return 0;
}

static uint64_t cell(unsigned which)
{
    return jst_a.blocks[0].cells[which];
}

static void the_heartbeats_part_is_taken_off(void **state)
{
    (void)state;
    self.ru_nivcsw = 7;
    heartbeat.ru_nivcsw = 3;
    self.ru_utime.tv_sec = 2;
    heartbeat.ru_utime.tv_usec = 500000;
    sample_usage(&jst_a.blocks[0].cells[JST_CELL_OS_USER_NS]);
    assert_int_equal(cell(JST_CELL_OS_INVOLUNTARY_SWITCHES), 4);
    assert_int_equal(cell(JST_CELL_OS_USER_NS), 1500000000);
}

/* A busy machine: all switches are the heartbeat's, and it is interrupted between two queries. */
static void an_interrupted_heartbeat_makes_no_count_negative(void **state)
{
    (void)state;
    self.ru_nivcsw = heartbeat.ru_nivcsw = 5;
    self.ru_majflt = heartbeat.ru_majflt = 1;
    meanwhile.ru_nivcsw = 1;
    meanwhile.ru_majflt = 2;
    sample_usage(&jst_a.blocks[0].cells[JST_CELL_OS_USER_NS]);
    assert_true(cell(JST_CELL_OS_INVOLUNTARY_SWITCHES) <= 1);
    assert_true(cell(JST_CELL_OS_MAJOR_FAULTS) <= 2);
    self.ru_nivcsw += 10;
    sample_usage(&jst_a.blocks[0].cells[JST_CELL_OS_USER_NS]); /* and it goes on counting */
    assert_int_equal(cell(JST_CELL_OS_INVOLUNTARY_SWITCHES), 10);
}

/* The kernel scales user and system time: a thread may seem to have more than all. */
static void a_part_larger_than_the_whole_is_all_of_it(void **state)
{
    (void)state;
    self.ru_stime.tv_usec = 3000;
    heartbeat.ru_stime.tv_usec = 4000;
    self.ru_nvcsw = 2;
    heartbeat.ru_nvcsw = 3;
    self.ru_minflt = 2;
    heartbeat.ru_minflt = 9;
    sample_usage(&jst_a.blocks[0].cells[JST_CELL_OS_USER_NS]);
    assert_int_equal(cell(JST_CELL_OS_SYSTEM_NS), 0);
    assert_int_equal(cell(JST_CELL_OS_VOLUNTARY_SWITCHES), 0);
    assert_int_equal(cell(JST_CELL_OS_MINOR_FAULTS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_heartbeats_part_is_taken_off, begin),
        cmocka_unit_test_setup(an_interrupted_heartbeat_makes_no_count_negative, begin),
        cmocka_unit_test_setup(a_part_larger_than_the_whole_is_all_of_it, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
