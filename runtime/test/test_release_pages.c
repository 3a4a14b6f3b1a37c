/* test_release_pages.c: tests which pages are released: none that has anything else, whatever size a page
 * has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "../src/block.h"
#include "../src/profile/area.h"
#include "../src/release_pages.c"

/* The runtime around it, as far as it is needed. */
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;
#ifndef __x86_64__
uint64_t jst_kernel_page = JST_PAGE;
#endif

static void pages_are_whole(void **state)
{
    (void)state;
    static const struct {
        uint64_t page, begin, end, from, bytes;
    } parts[] = {
        {4096, 0x10000, 0x13000, 0x10000, 0x3000},   {4096, 0x10001, 0x12fff, 0x11000, 0x1000},
        {4096, 0x10001, 0x11fff, 0x11000, 0},        {16384, 0x11000, 0x1b000, 0x14000, 0x4000},
        {65536, 0x10000, 0x13000, 0x10000, 0},       {65536, 0x11000, 0x3f000, 0x20000, 0x10000},
        {65536, 0x20000, 0x5f000, 0x20000, 0x30000}, {65536, 0x11000, 0x12000, 0x20000, 0},
        {65536, 0x1f000, 0x21000, 0x20000, 0},
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t bytes;
        uintptr_t from = whole_pages((const char *)(uintptr_t)parts[i].begin,
                                     (const char *)(uintptr_t)parts[i].end, parts[i].page, &bytes);
        assert_int_equal(from, parts[i].from);
        assert_int_equal(bytes, parts[i].bytes);
    }
}

/* What is mapped to a fixed address, or wiped in a child, has pages of its own. */
static void pages_of_this_kernel(void **state)
{
    (void)state;
    assert_int_equal(JST_LARGEST_PAGE % sysconf(_SC_PAGESIZE), 0);
    assert_int_equal(_Alignof(jst_area) % JST_LARGEST_PAGE, 0);
    assert_int_equal(sizeof(jst_area) % JST_LARGEST_PAGE, 0);
    assert_int_equal(sizeof(jst_wipe_page) % JST_LARGEST_PAGE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_whole),
        cmocka_unit_test(pages_of_this_kernel),
    };
    return cmocka_run_group_tests_name("release_pages", tests, NULL, NULL);
}
