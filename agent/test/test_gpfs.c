/* test_gpfs.c: tests mmpmon's answers, and mmpmons that are slow, silent or dead, or answer
 * incompletely. */
#include <signal.h>

#include "tree.h"

#include "../src/sources/child.c"
#include "../src/sources/file_systems/gpfs.c"
#include "../src/sources/file_systems/gpfs_text.h"

#define R JST_STORAGE_READ_BYTES
#define RO JST_STORAGE_READ_OPS
#define RN JST_STORAGE_READ_NS
#define W JST_STORAGE_WRITE_BYTES
#define WO JST_STORAGE_WRITE_OPS
#define WN JST_STORAGE_WRITE_NS
#define M JST_STORAGE_META_OPS

static jst_sample s;

static int begin(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    tree_begin();
    has_disks = true;
    has_answered = false;
    count = 0;
    deadline_ms = 5000;
    tree_put_text("/proc/mounts", "/dev/scratch /gpfs/my\\040scratch gpfs rw,relatime 0 0\n"
                                  "home /home gpfs rw 0 0\n");
    return 0;
}

static int end(void **state)
{
    (void)state;
    if (mmpmon.pid) {
        stop(&mmpmon);
        waitpid(mmpmon.pid, NULL, 0);
    }
    mmpmon = (jst_child){.arguments = arguments};
    tree_end();
    return 0;
}

/* An mmpmon that runs `answer` at each io_s, and `other` at another request. */
static void install(const char *at_start, const char *other, const char *answer)
{
    char script[4096];
    snprintf(script, sizeof script,
             "#!/bin/sh\n"
             "[ \"$1 $2\" = '-p -s' ] || exit 9\n"
             "fixtures='" JST_FIXTURES "/gpfs' root='%s'\n"
             "echo x >>\"$root/starts\"\n%s\n"
             "while read -r question; do\n"
             "  case $question in io_s) %s;; *) echo \"$question\" >>\"$root/asked\"; %s;; esac\n"
             "done\n",
             tree, at_start, answer, other);
    tree_put_text(MMPMON, script);
    char where[512];
    snprintf(where, sizeof where, "%s%s", tree, MMPMON);
    assert_int_equal(chmod(where, 0755), 0);
}

static int lines_of(const char *name)
{
    char where[256];
    int lines = 0;
    snprintf(where, sizeof where, "%s/%s", tree, name);
    FILE *f = fopen(where, "r");
    for (int c; f && (c = fgetc(f)) != EOF;)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines;
}

static const char *sample(void)
{
    return tree_sample(&jst_source_gpfs, &s);
}

static const jst_component *mount_of(const char *name)
{
    return jst_test_component(&s, JST_KIND_GPFS_MOUNT, name, "");
}

static void check_client(void)
{
    assert_int_equal(s.count, 2);
    const jst_component *c = mount_of("scratch");
    assert_string_equal(c->names.source, "/dev/scratch");
    assert_string_equal(c->names.path, "/gpfs/my scratch");
    assert_true(jst_test_number(c, R) == 205607400434);
    assert_true(jst_test_number(c, W) == 74839282351);
    assert_int_equal(jst_test_number(c, RO), 59420404);
    assert_int_equal(jst_test_number(c, WO), 18874626);
    assert_int_equal(jst_test_number(c, M), 5164971);
    assert_false(jst_test_has(c, RN));
    c = mount_of("home");
    assert_string_equal(c->names.source, "home");
    assert_int_equal(jst_test_number(c, M), 35);
}

static void it_is_kept_and_asked_again(void **state)
{
    (void)state;
    assert_non_null(strstr(jst_source_gpfs.open(), "no GPFS"));
    install("", ":", "cat $fixtures/client.txt");
    assert_null(jst_source_gpfs.open());
    for (int i = 0; i < 20; i++) {
        assert_null(sample());
        check_client();
    }
    assert_int_equal(lines_of("starts"), 1);
    assert_int_equal(lines_of("asked"), 40);
}

static void disks_of_a_server(void **state)
{
    (void)state;
    install("", ":", "cat $fixtures/server.txt");
    assert_null(sample());
    assert_int_equal(s.count, 3);
    const jst_component *c = jst_test_component(&s, JST_KIND_GPFS_DISK, "rg_node1_rg1", "");
    assert_int_equal(jst_test_number(c, RO), 138448);
    assert_int_equal(jst_test_number(c, R), 563132928);
    assert_true(jst_test_number(c, RN) == 2219600760000);
    assert_int_equal(jst_test_number(c, WO), 9406);
    assert_int_equal(jst_test_number(c, W), 202620928);
    assert_true(jst_test_number(c, WN) == 3652243000);
    assert_false(jst_test_has(c, M));
    c = jst_test_component(&s, JST_KIND_GPFS_DISK, "nsd7", "");
    assert_int_equal(jst_test_number(c, RN), 91637000);
    assert_true(jst_test_number(c, WN) == 17000000000);
}

static void nothing_mounted_is_said(void **state)
{
    (void)state;
    install("", ":", "cat $fixtures/unmounted.txt");
    assert_non_null(strstr(sample(), "_rc_ 1"));
    assert_int_equal(s.count, 0);
}

static void slow_answers_are_put_together(void **state)
{
    (void)state;
    install("", ":",
            "head -c 150 $fixtures/client.txt; sleep 0.1; "
            "tail -c +151 $fixtures/client.txt | head -c 700; sleep 0.1; "
            "tail -c +851 $fixtures/client.txt");
    assert_null(sample());
    check_client();
}

/* The output of a dying mmpmon is not used, and the next is not started at once. */
static void torn_answers_are_unknown(void **state)
{
    (void)state;
    install("", ":",
            "if [ -e $root/die ]; then head -c 190 $fixtures/client.txt; exit 1; fi; "
            "cat $fixtures/client.txt");
    assert_null(sample());
    tree_put_text("/die", "");
    assert_non_null(sample());
    assert_true(jst_test_unknown(mount_of("scratch"), R));
    assert_true(jst_test_unknown(mount_of("home"), M));
    assert_false(jst_test_has(mount_of("home"), RN));
    int starts = lines_of("starts");
    for (int i = 0; i < 5; i++)
        assert_non_null(sample());
    assert_int_equal(lines_of("starts"), starts);
    assert_true(jst_test_unknown(mount_of("scratch"), R));
    assert_true(mmpmon.pause_ns == FIRST_PAUSE);
    tree_remove("/die");
    mmpmon.not_before_ns = 0;
    assert_null(sample());
    check_client();
    assert_true(mmpmon.pause_ns == 0);
}

static void pauses_grow(void **state)
{
    (void)state;
    install("exit 1", ":", ":");
    has_answered = true;
    for (int i = 0; i < 10; i++) {
        assert_non_null(sample());
        int64_t expected = FIRST_PAUSE << i;
        assert_true(mmpmon.pause_ns == (expected < LONGEST_PAUSE ? expected : LONGEST_PAUSE));
        mmpmon.not_before_ns = 0;
    }
}

static void a_silent_one_is_killed(void **state)
{
    (void)state;
    install("", ":", "exec sleep 1000");
    deadline_ms = 200;
    int64_t before = clock_ns();
    assert_string_equal(sample(), "mmpmon did not answer");
    assert_true(clock_ns() - before < 3 * NS);
    pid_t pid = mmpmon.pid;
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    mmpmon.pid = 0;
}

static void one_that_reads_no_questions_is_killed(void **state)
{
    (void)state;
    install("exec sleep 1000", ":", ":");
    deadline_ms = 10;
    has_answered = true;
    assert_string_equal(sample(), "mmpmon did not answer");
}

static void one_that_writes_without_end_is_killed(void **state)
{
    (void)state;
    install("", ":", "exec yes _fs_io_s_ _rc_ 0 _fs_ x _br_ 1");
    assert_non_null(sample());
    assert_int_equal(s.count, 0);
    assert_true(mmpmon.ending);
}

/* An old mmpmon ends at a request that it does not know. */
static void nsd_ds_may_be_unknown(void **state)
{
    (void)state;
    install("", "[ $question = fs_io_s ] || exit 1", "cat $fixtures/client.txt");
    assert_null(sample());
    check_client();
    assert_false(has_disks);
}

/* Numbers of an answer that is cut anywhere are those of the whole one, or none. */
static struct {
    jst_gpfs_part of[16];
    int n;
} whole, cut_parts;

static void collect(void *to, const jst_gpfs_part *part)
{
    typeof(whole) *w = to;
    assert_true(w->n < 16);
    w->of[w->n++] = *part;
}

static void cut_answers(void **state)
{
    (void)state;
    static const char *files[] = {"client.txt", "server.txt", "unmounted.txt"};
    for (int i = 0; i < 3; i++) {
        char path[512], all[4096];
        jst_gpfs_codes codes;
        snprintf(path, sizeof path, JST_FIXTURES "/gpfs/%s", files[i]);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        size_t n = fread(all, 1, sizeof all, f);
        fclose(f);
        whole.n = 0;
        jst_gpfs_answer(all, n, &codes, collect, &whole);
        assert_true(jst_gpfs_is_whole(all, n));
        for (size_t at = 0; at < n; at++) {
            char *copy = malloc(at ? at : 1);
            memcpy(copy, all, at);
            cut_parts.n = 0;
            jst_gpfs_answer(copy, at, &codes, collect, &cut_parts);
            assert_false(jst_gpfs_is_whole(copy, at));
            free(copy);
            for (int k = 0; k < cut_parts.n; k++) {
                uint32_t known = cut_parts.of[k].known;
                assert_int_equal(known & ~whole.of[k].known, 0);
                for (unsigned m = 0; m < JST_GPFS_CELLS; m++)
                    if (known >> m & 1)
                        assert_true(cut_parts.of[k].value[m] == whole.of[k].value[m]);
            }
        }
    }
}

static void odd_lines(void **state)
{
    (void)state;
    static const char odd[] =
        "_fs_io_s_ _n_ a _rc_ 0 _fs_ x _br_ -5 _bw_ 18446744073709551616 _oc_ 1 _cc_ 2 _dir_ 3\n"
        "_fs_io_s_ _rc_ 0 _fs_ _br_ 7\n"
        "_r_ _ops_ 4\n\n garbage\n";
    jst_gpfs_codes codes;
    cut_parts.n = 0;
    jst_gpfs_answer(odd, sizeof odd - 1, &codes, collect, &cut_parts);
    assert_int_equal(cut_parts.n, 1);
    assert_int_equal(cut_parts.of[0].known, 0);
    assert_int_equal(cut_parts.of[0].unknown, 1u << R | 1u << RO | 1u << W | 1u << WO | 1u << M);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_kept_and_asked_again, begin, end),
        cmocka_unit_test_setup_teardown(disks_of_a_server, begin, end),
        cmocka_unit_test_setup_teardown(nothing_mounted_is_said, begin, end),
        cmocka_unit_test_setup_teardown(slow_answers_are_put_together, begin, end),
        cmocka_unit_test_setup_teardown(torn_answers_are_unknown, begin, end),
        cmocka_unit_test_setup_teardown(pauses_grow, begin, end),
        cmocka_unit_test_setup_teardown(a_silent_one_is_killed, begin, end),
        cmocka_unit_test_setup_teardown(one_that_reads_no_questions_is_killed, begin, end),
        cmocka_unit_test_setup_teardown(one_that_writes_without_end_is_killed, begin, end),
        cmocka_unit_test_setup_teardown(nsd_ds_may_be_unknown, begin, end),
        cmocka_unit_test(cut_answers),
        cmocka_unit_test(odd_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
