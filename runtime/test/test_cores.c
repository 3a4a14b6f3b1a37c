/* test_cores.c: what threads waited for a core, on answers of our own making: who comes and goes, and who gets a
 * place among those that are followed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../src/block.h"
#include "../src/clock.h"
#include "../src/config.h"
#include "../src/core.h"
#include "../src/modules/os.h"
#include "../src/modules/os_binding.h"
#include "../src/sys.h"
#include "../src/text.h"

#define S UINT64_C(1000000000)
#define FIRST_TID 5000001u /* above what kernels give */

static long fake_sys3(long number, long a, long b, long c);
static long fake_pread(int fd, char *to, size_t n, uint64_t at);
static int fake_openat(int folder, const char *path, int flags, int mode);
static uint64_t now_ns; /* a tick is a nanosecond */
#undef jst_sys3
#define jst_sys3(number, a, b, c) fake_sys3(number, (long)(a), (long)(b), (long)(c))
#define jst_pread fake_pread
#define jst_openat fake_openat
#define jst_close(fd) ((void)(fd))
#define jst_ticks() now_ns
#include "../src/modules/os_cores.c"

/* The runtime around os_cores.c, as far as it is needed. */
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
jst_config jst_cfg;
jst_life jst_now_life;

uint64_t jst_ticks_to_ns(uint64_t ticks)
{
    return ticks;
}

bool jst_os_leader_gone(void)
{
    return false;
}

void jst_binding_begin(void) {}

void jst_binding_say(const jst_cpus *now)
{
    (void)now;
}

void jst_binding_ran(uint32_t tid)
{
    (void)tid;
}

void jst_groups_look(const char *controller, void (*look)(char *folder, size_t root))
{
    (void)controller, (void)look;
}

/* The program's threads, as the kernel has them; a thread's number is that of its place. */
#define MOST 24
static struct {
    bool lives;
    uint64_t ran, waited;
} kernel[MOST];
static bool listed;
static jst_block block;

static long list_threads(char *to)
{
    long n = 0;
    for (unsigned i = 0; i < MOST && !listed; i++) {
        if (!kernel[i].lives)
            continue;
        jst_entry *entry = (jst_entry *)(void *)(to + n);
        entry->length = 32;
        snprintf(entry->name, 12, "%u", FIRST_TID + i);
        n += entry->length;
    }
    listed = true;
    return n;
}

static long fake_sys3(long number, long a, long b, long c)
{
    (void)a;
    switch (number) {
    case SYS_lseek:
        listed = false;
        return 0;
    case SYS_getdents64:
        assert_in_range(c, 32 * MOST, 65536);
        return list_threads((char *)b);
    case SYS_sched_getaffinity:
        *(uint64_t *)c = 1;
        return 8;
    default:
        fail();
        return -1;
    }
}

static int fake_openat(int folder, const char *path, int flags, int mode)
{
    (void)folder, (void)flags, (void)mode;
    return (int)jst_next_number(&path);
}

static long fake_pread(int fd, char *to, size_t n, uint64_t at)
{
    unsigned i = (unsigned)fd - FIRST_TID;
    assert_in_range(i, 0, MOST - 1);
    assert_int_equal(at, 0);
    return kernel[i].lives ? snprintf(to, n, "%llu %llu 7\n", (unsigned long long)kernel[i].ran,
                                      (unsigned long long)kernel[i].waited)
                           : -3;
}

static int begin(void **state)
{
    (void)state;
    memset(&block, 0, sizeof block);
    memset(kernel, 0, sizeof kernel);
    jst_cfg.slice_ns = 4 * S;
    jst_now_life.pid = (int)FIRST_TID;
    now_ns = 1000 * S;
    jst_cores_child();
    jst_cores_open(3);
    return 0;
}

/* What was waited for a core so far, after so much more time. */
static uint64_t waited_after(uint64_t ns)
{
    uint64_t alive = 0;
    for (unsigned i = 0; i < MOST; i++)
        alive += kernel[i].lives;
    block.cells[JST_CELL_OS_THREADS] = alive;
    now_ns += ns;
    jst_cores_sample(&block);
    return block.cells[JST_CELL_OS_RUNQUEUE_NS];
}

static void a_new_thread_counts_from_its_start(void **state)
{
    (void)state;
    kernel[0].lives = true;
    kernel[0].waited = S; /* before the heartbeat came */
    assert_int_equal(waited_after(0), S);
    kernel[1].lives = true;
    kernel[1].ran = kernel[1].waited = 2 * S;
    assert_int_equal(waited_after(4 * S), 3 * S);
    kernel[1].waited += S;
    assert_int_equal(waited_after(4 * S), 4 * S);
    assert_int_equal(block.cells[JST_CELL_OS_AWAKE], 1);
}

/* More threads than can be followed, for hours; then one of those that are followed ends. */
static void a_place_that_gets_free_brings_no_past(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= THREADS; i++)
        kernel[i].lives = true;
    assert_int_equal(waited_after(0), 0);
    for (unsigned i = 0; i <= THREADS; i++)
        kernel[i].ran = kernel[i].waited = 3600 * S;
    uint64_t before = waited_after(7200 * S);
    assert_int_equal(before, THREADS * 3600 * S);
    kernel[1].lives = false;
    waited_after(4 * S); /* in one its place gets free, in the next it is given away */
    assert_int_equal(waited_after(4 * S), before);
    kernel[THREADS].waited += S;
    assert_int_equal(waited_after(4 * S), before + S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_new_thread_counts_from_its_start, begin),
        cmocka_unit_test_setup(a_place_that_gets_free_brings_no_past, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
