/* test_file_name.c: tests names of files in the spool: short, safe, and different for different jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../src/profile/file_name.h"

uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

#define LIBRARY 0x12345678u

static const char *shared(const char *job, uint32_t library)
{
    static char names[2][128];
    static unsigned next;
    char *name = names[next++ % 2];
    jst_put_shared_name(name, name + sizeof names[0], job, 1000, library, ".jss");
    return name;
}

static void of_a_job(void **state)
{
    (void)state;
    static const struct {
        const char *job, *name;
    } jobs[] = {{"slurm-77", "slurm-77."},
                {"pbs-8.srv", "pbs-8_srv."},
                {"my/job ../x", "my_job____x."},
                {"", "."}};
    char name[128];
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        char *end = jst_put_job(name, name + sizeof name, jobs[i].job);
        assert_string_equal(name, jobs[i].name);
        assert_ptr_equal(end, name + strlen(name));
    }
    char job[128];
    memset(job, 'n', sizeof job - 1);
    job[127] = 0;
    jst_put_job(name, name + sizeof name, job);
    assert_int_equal(strlen(name), 65);
    memset(name, 'x', sizeof name);
    jst_put_job(name, name + 10, job); /* no more than there is room for */
    assert_true(strlen(name) < 10);
    assert_int_equal(name[10], 'x');
}

static void of_files_that_processes_share(void **state)
{
    (void)state;
    const char *name = shared("a.b", LIBRARY);
    assert_memory_equal(name, "a_b.1000.", 9);
    assert_int_equal(strlen(name), 9 + 8 + 4);
    assert_int_equal(strspn(name + 9, "0123456789abcdef"), 8);
    assert_string_equal(name + 17, ".jss");
    assert_string_equal(name, shared("a.b", LIBRARY));
}

static void of_jobs_that_differ_in_punctuation(void **state)
{
    (void)state;
    static const char *const jobs[] = {"a.b", "a_b", "a:b", "a/b", "a b"};
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(shared(jobs[i], LIBRARY), shared(jobs[j], LIBRARY));
}

static void of_jobs_that_differ_at_their_end(void **state)
{
    (void)state;
    char one[101], other[101];
    memset(one, 'n', 100);
    one[100] = 0;
    memcpy(other, one, sizeof one);
    other[99] = 'm';
    assert_string_not_equal(shared(one, LIBRARY), shared(other, LIBRARY));
    assert_true(strlen(shared(one, LIBRARY)) < 127);
}

/* Records of one say nothing in a file with the other's header. */
static void of_two_libraries(void **state)
{
    (void)state;
    assert_string_not_equal(shared("a", LIBRARY), shared("a", LIBRARY + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_job),
        cmocka_unit_test(of_files_that_processes_share),
        cmocka_unit_test(of_jobs_that_differ_in_punctuation),
        cmocka_unit_test(of_jobs_that_differ_at_their_end),
        cmocka_unit_test(of_two_libraries),
    };
    return cmocka_run_group_tests_name("file_name", tests, NULL, NULL);
}
