/* Tests the folder of a signal: made, emptied of one rank's files or of all, removed by the
 * janitor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../src/files/folder.h"

static char place[] = "/tmp/jostle-test-folder-XXXXXX";
static char folder[3072];

static void touch(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void make_folder(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static bool is_there(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void only_of_a_rank(void **unused)
{
    (void)unused;
    assert_true(jst_folder_make(folder, sizeof folder, place, "a job/with \"marks\""));
    touch("1.0");
    touch("1.1");
    touch("11.0");
    touch("shared.0");
    make_folder("1");
    touch("1/x");
    make_folder("2");
    assert_false(jst_folder_remove(folder, 1));
    assert_false(is_there("1.0") || is_there("1.1") || is_there("1"));
    assert_true(is_there("11.0") && is_there("shared.0") && is_there("2"));
    assert_true(jst_folder_remove(folder, -1));
    assert_int_not_equal(access(folder, F_OK), 0);
    assert_true(jst_folder_remove(folder, -1)); /* gone already */
}

static void many_files(void **unused)
{
    char name[32];

    (void)unused;
    assert_true(jst_folder_make(folder, sizeof folder, place, "many"));
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "%d.%d", i % 2, i);
        touch(name);
    }
    assert_false(jst_folder_remove(folder, 0));
    assert_true(jst_folder_remove(folder, 1)); /* the last one takes the folder along */
}

static void links_are_not_followed(void **unused)
{
    char path[4096];

    (void)unused;
    assert_true(jst_folder_make(folder, sizeof folder, place, "links"));
    snprintf(path, sizeof path, "%s/0.link", folder);
    assert_int_equal(symlink(place, path), 0);
    assert_true(jst_folder_remove(folder, -1));
    assert_int_equal(access(place, F_OK), 0);
}

/* In a child, since the janitor lives as long as the process that started it. */
static void by_the_janitor(bool done)
{
    assert_true(jst_folder_make(folder, sizeof folder, place, "janitor"));
    touch("0.0");
    pid_t child = fork();
    if (child == 0) {
        jst_janitor_start();
        jst_janitor_watch(folder, -1);
        if (done)
            jst_janitor_done();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    const struct timespec nap = {0, 20 * 1000000};
    for (int i = 0; !done && i < 500 && access(folder, F_OK) == 0; i++)
        nanosleep(&nap, NULL);
    assert_int_equal(access(folder, F_OK) == 0, done);
    jst_folder_remove(folder, -1);
}

static void janitor(void **unused)
{
    (void)unused;
    by_the_janitor(true);
    by_the_janitor(false);
}

static void space(void **unused)
{
    uint64_t bytes = 0;

    (void)unused;
    assert_int_equal(jst_folder_space(place, &bytes), 0);
    assert_true(bytes > 0);
    assert_true(jst_folder_space("/no/such/folder", &bytes) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_of_a_rank),
        cmocka_unit_test(many_files),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(janitor),
        cmocka_unit_test(space),
    };
    if (!mkdtemp(place))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(place);
    return failed;
}
