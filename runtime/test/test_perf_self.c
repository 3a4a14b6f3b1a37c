/* test_perf_self.c: tests the arithmetic of a counter's page, on simulated pages, and on a real one
 * if there is one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static uint64_t fake_rdpmc(uint32_t counter);
#define JST_RDPMC(counter) fake_rdpmc((uint32_t)(counter))
#include "../src/modules/perf_event.h"
#include "../src/modules/perf_self.h"
#include "../src/profile/profile_layout.h"
#include "../src/sys.h"

__thread jst_perf_slot *jst_tls_perf;
__thread uint32_t jst_tls_perf_tid;

#if defined(__x86_64__)

static struct perf_event_mmap_page page;
static uint64_t counter_says;
static uint32_t asked;
static int reads, moves; /* the thread is moved while the counter is read, so many times */
static bool real;

static uint64_t fake_rdpmc(uint32_t counter)
{
    if (real)
        return (uint64_t)__builtin_ia32_rdpmc((int)counter);
    asked = counter;
    reads++;
    if (moves > 0) {
        moves--;
        page.lock++;
        page.offset += 1000;
    }
    return counter_says;
}

static int prepare(void **state)
{
    (void)state;
    memset(&page, 0, sizeof page);
    page.cap_user_rdpmc = 1;
    page.index = 3;
    page.pmc_width = 48;
    page.offset = 5000;
    counter_says = 7;
    reads = moves = 0;
    return 0;
}

static void adds_the_counter(void **state)
{
    (void)state;
    assert_int_equal(jst_perf_read_page(&page), 5007);
    assert_int_equal(asked, 2); /* the index begins at one */
    assert_int_equal(reads, 1);
}

/* The kernel starts a counter below zero, so that it overflows in time. */
static void extends_the_sign(void **state)
{
    (void)state;
    counter_says = (UINT64_C(1) << 48) - 100;
    assert_int_equal(jst_perf_read_page(&page), 4900);
    page.pmc_width = 32;
    counter_says = 0xffff0000ffffff9c; /* bits above the width mean nothing */
    assert_int_equal(jst_perf_read_page(&page), 4900);
    page.pmc_width = 64;
    counter_says = (uint64_t)-100;
    assert_int_equal(jst_perf_read_page(&page), 4900);
}

static void never_without_leave(void **state)
{
    (void)state;
    page.index = 0; /* the thread is off the counter */
    assert_int_equal(jst_perf_read_page(&page), 0);
    page.index = 3;
    page.cap_user_rdpmc = 0;
    assert_int_equal(jst_perf_read_page(&page), 0);
    assert_int_equal(reads, 0);
}

static void reads_again_when_moved(void **state)
{
    (void)state;
    moves = 3;
    assert_int_equal(jst_perf_read_page(&page), 8007);
    assert_int_equal(reads, 4);
    moves = 1000; /* never at rest: it gives up */
    assert_int_equal(jst_perf_read_page(&page), 0);
}

static void only_for_the_owner(void **state)
{
    (void)state;
    static jst_perf_slot slot;
    jst_tls_perf = NULL;
    assert_int_equal(jst_perf_self(), 0);
    jst_tls_perf = &slot;
    jst_tls_perf_tid = 42;
    atomic_store(&slot.tid, 42);
    assert_int_equal(jst_perf_self(), 0); /* no page yet, or no longer */
    atomic_store(&slot.page, &page);
    assert_int_equal(jst_perf_self(), 5007);
    atomic_store(&slot.tid, 43);
    assert_int_equal(jst_perf_self(), 0);
}

static void counts_a_loop(void **state)
{
    (void)state;
    int fd = jst_event_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, JST_EVENT_USER_ONLY, 0,
                            0, -1);
    if (fd < 0)
        skip();
    void *at = mmap(NULL, JST_PAGE, PROT_READ, MAP_SHARED, fd, 0);
    jst_close(fd); /* the page keeps the counter */
    assert_ptr_not_equal(at, MAP_FAILED);
    real = true;
    uint64_t from = jst_perf_read_page(at), n = 10000000;
    __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(n)::"cc");
    uint64_t until = jst_perf_read_page(at);
    real = false;
    munmap(at, JST_PAGE);
    if (from == 0 || until == 0)
        skip();
    assert_in_range(until - from, 20000000, 20200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(adds_the_counter, prepare),
        cmocka_unit_test_setup(extends_the_sign, prepare),
        cmocka_unit_test_setup(never_without_leave, prepare),
        cmocka_unit_test_setup(reads_again_when_moved, prepare),
        cmocka_unit_test_setup(only_for_the_owner, prepare),
        cmocka_unit_test(counts_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0; /* nothing is compiled elsewhere */
}

#endif
