/* test_script.c: tests names of scripts in command lines, in valid ones (tests/data/scripts.txt)
 * and in arbitrary bytes. Arguments are right before a page that cannot be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../src/profile/script.h"

/* The counters of the runtime's own reads and writes, which text.c uses. */
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static char *page; /* arguments end where it ends */
static size_t page_size;

static const char *name_of(const char *program, const char *arguments, size_t length)
{
    static char name[130];
    char *at = page + page_size - length - 1;
    memcpy(at, arguments, length);
    at[length] = 0;
    memset(name, '!', sizeof name);
    jst_script_name(program, at, length, name, 128);
    assert_non_null(memchr(name, 0, 128));
    assert_int_equal(name[128], '!');
    return name;
}

static void test_cases(void **state)
{
    (void)state;
    char line[1024];
    int cases = 0;
    FILE *file = fopen(JST_TEST_DATA "/scripts.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#')
            continue;
        size_t length = strlen(line);
        line[length - 1] = 0;
        for (char *p = line; *p; p++)
            *p = *p == '\t' ? '\001' : *p;
        for (size_t i = 0; i < length; i++)
            line[i] = line[i] == '\001' ? 0 : line[i];
        const char *program = line + strlen(line) + 1;
        const char *arguments = program + strlen(program) + 1;
        const char *name = name_of(program, arguments, (size_t)(line + length - arguments));
        if (strcmp(name, line) != 0)
            fail_msg("case %d (%s): '%s', not '%s'", cases, arguments, name, line);
        cases++;
    }
    fclose(file);
    assert_true(cases > 40);
}

static void test_anything(void **state)
{
    (void)state;
    static const char *const programs[] = {"python3.11", "bash",   "R",      "Rscript",
                                           "julia",      "perl",   "ruby",   "node",
                                           "java",       "MATLAB", "octave", ""};
    static const char some[] = "----+@=mcWXoOefrI./;(\0\0\0\0\0\0 a\377";
    char text[512];
    srandom(7);
    for (int round = 0; round < 300000; round++) {
        size_t length = (size_t)random() % (round % 8 ? 24 : sizeof text);
        for (size_t i = 0; i < length; i++)
            text[i] = some[(size_t)random() % (sizeof some - 1)];
        name_of(programs[(size_t)random() % (sizeof programs / sizeof *programs)], text, length);
    }
    memset(text, 'x', sizeof text);
    memcpy(text, "sh", 3);
    assert_int_equal(strlen(name_of("sh", text, sizeof text)), 127);
}

int main(void)
{
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + page_size, page_size, PROT_NONE) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
