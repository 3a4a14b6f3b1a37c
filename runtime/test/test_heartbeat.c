/* test_heartbeat.c: when the heartbeat wakes, with a kernel of our own that sleeps as Linux does, also while the
 * clock is set.
 */
#include <linux/futex.h>
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
#include "../src/sys.h"

#define S UINT64_C(1000000000)
#define L (4 * S)
#define HOUR (3600 * S)

static uint64_t fake_clock(int clock);
static long fake_futex(_Atomic uint32_t *word, int op, uint32_t value, const struct timespec *ts,
                       uint32_t bits);
static uint64_t monotonic;
#define jst_clock_ns fake_clock
#define jst_futex fake_futex
#define jst_ticks() monotonic
#include "../src/heartbeat.c"

/* The runtime around heartbeat.c, as far as it is needed. */
jst_area jst_a;
jst_config jst_cfg;
jst_life jst_now_life;
jst_block *_Atomic jst_more;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static uint64_t realtime_ahead; /* of the monotonic clock */
static uint64_t steps_at, step; /* when the clock is set, on the monotonic one, and how far back */
static uint64_t ends_at, last_boundary, longest;
static unsigned boundaries_seen;

static uint64_t fake_clock(int clock)
{
    return clock == CLOCK_REALTIME ? monotonic + realtime_ahead : monotonic;
}

/* A sleep until an instant of CLOCK_REALTIME ends later where that clock is set back meanwhile. */
static long fake_futex(_Atomic uint32_t *word, int op, uint32_t value, const struct timespec *ts,
                       uint32_t bits)
{
    (void)bits;
    if (op == FUTEX_WAKE)
        return 0;
    assert_int_equal(atomic_load(word), value);
    uint64_t ns = (uint64_t)ts->tv_sec * S + (uint64_t)ts->tv_nsec;
    bool until = (op & FUTEX_CLOCK_REALTIME) != 0;
    uint64_t end = !until                            ? monotonic + ns
                   : ns > realtime_ahead + monotonic ? ns - realtime_ahead
                                                     : monotonic;
    if (step != 0 && end > steps_at) {
        realtime_ahead -= step;
        end += until ? step : 0;
        step = 0;
    }
    monotonic = end;
    if (monotonic >= ends_at)
        atomic_store(word, STOP);
    return -ETIMEDOUT;
}

void jst_slice_tick(int fd, uint64_t now_ns)
{
    (void)fd;
    assert_true(now_ns == monotonic + realtime_ahead);
    if (last_boundary != 0 && monotonic - last_boundary > longest)
        longest = monotonic - last_boundary;
    last_boundary = monotonic;
    boundaries_seen++;
}

void jst_modules_open(int fd)
{
    (void)fd;
}

void jst_modules_sample(uint64_t now_ns, enum jst_occasion occasion)
{
    (void)now_ns, (void)occasion;
}

void jst_modules_note_missing(int fd, uint64_t now_ns, bool ending)
{
    (void)fd, (void)now_ns, (void)ending;
}

void jst_modules_close(void) {}

void jst_root_note(int fd, uint64_t now_ns)
{
    (void)fd, (void)now_ns;
}

void jst_nccl_note(int fd, uint64_t now_ns, bool ending)
{
    (void)fd, (void)now_ns, (void)ending;
}

void jst_slice_finish(int fd)
{
    (void)fd;
}

void jst_segments_drain(int fd)
{
    (void)fd;
}

void jst_communicators_drain(int fd)
{
    (void)fd;
}

bool jst_os_leader_gone(void)
{
    return false;
}

int jst_profile_again(int *fd)
{
    (void)fd;
    return -1;
}

void jst_note(int fd, uint64_t now_ns, const char *text)
{
    (void)fd, (void)now_ns, (void)text;
}

uint64_t jst_perf_due(void)
{
    return 0;
}

void jst_perf_tick(jst_block *b, uint64_t now_ns)
{
    (void)b, (void)now_ns;
}

uint64_t jst_core_probe_due(uint64_t now, uint64_t boundary)
{
    (void)now, (void)boundary;
    return 0;
}

void jst_core_probe_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary)
{
    (void)b, (void)due, (void)now, (void)boundary;
}

uint64_t jst_memory_probe_due(uint64_t now, uint64_t boundary)
{
    (void)now, (void)boundary;
    return 0;
}

void jst_memory_probe_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary)
{
    (void)b, (void)due, (void)now, (void)boundary;
}

void jst_children_begin(void) {}

void jst_together_tick(uint64_t now_ns)
{
    (void)now_ns;
}

void jst_memory_let_go(void) {}

/* Beats for a minute, in which the clock is set back by so much. */
static void a_minute(uint64_t back)
{
    jst_cfg.slice_ns = L;
    monotonic = 500 * S;
    realtime_ahead = 450000000 * L - monotonic + S / 10;
    steps_at = monotonic + 22 * S;
    step = back;
    ends_at = monotonic + 60 * S;
    last_boundary = longest = boundaries_seen = 0;
    profile_fd = -1;
    atomic_store(&request, GO_ON);
    beat();
    assert_int_equal(step, 0);
}

static void it_wakes_at_each_boundary(void **state)
{
    (void)state;
    a_minute(0);
    assert_int_equal(boundaries_seen, 15);
    assert_int_equal(longest, L);
}

static void a_clock_that_is_set_back_prolongs_no_slice(void **state)
{
    (void)state;
    a_minute(HOUR);
    assert_in_range(boundaries_seen, 14, 17);
    assert_true(longest <= L);
    a_minute(3 * S / 2); /* the slice that it falls into is as much longer */
    assert_in_range(longest, L, L + 3 * S / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_wakes_at_each_boundary),
        cmocka_unit_test(a_clock_that_is_set_back_prolongs_no_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
