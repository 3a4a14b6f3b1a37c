/* Tests the command line: what is accepted, what is refused, and that a refusal names a remedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../src/options.h"

static char said[4096];

/* Reads a command line, given as one text; its output is in said. */
static bool read_line(struct jst_options *options, const char *line, int *status)
{
    static char copy[1024];
    static char *values[64];
    char name[] = "/tmp/jostle-test-options-XXXXXX";
    int count = 1, saved = dup(2), fd = mkstemp(name);

    unlink(name);
    snprintf(copy, sizeof copy, "%s", line);
    values[0] = (char *)"jostle-signal";
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        values[count++] = word;
    fflush(stderr);
    dup2(fd, 2);
    bool good = jst_read_options(options, count, values, status);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    ssize_t n = pread(fd, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    close(fd);
    return good;
}

static struct jst_options taken(const char *line)
{
    struct jst_options options;
    int status;

    if (!read_line(&options, line, &status))
        fail_msg("'%s' was refused: %s", line, said);
    assert_string_equal(said, "");
    return options;
}

static void refused(const char *line, const char *part)
{
    struct jst_options options;
    int status = 0;

    if (read_line(&options, line, &status))
        fail_msg("'%s' was taken", line);
    assert_int_equal(status, JST_EXIT_USAGE);
    if (!strstr(said, part))
        fail_msg("'%s': '%s' does not say '%s'", line, said, part);
}

static void defaults(void **unused)
{
    (void)unused;
    struct jst_options o = taken("write-seek");
    assert_ptr_equal(o.pattern, &jst_write_seek);
    assert_int_equal(o.chunk, JST_MIB);
    assert_int_equal(o.piece, JST_MIB);
    assert_int_equal(o.flush, JST_FLUSH_EACH);
    assert_int_equal(o.time_ns, 10 * JST_SECOND);
    assert_int_equal(o.processes, 1);
    assert_int_equal(o.rhythm.period_ns, 0);
    assert_int_equal(o.slice_ns, 4 * JST_SECOND);
    assert_string_equal(o.dir, ".");
    assert_null(o.log);
    assert_int_equal(taken("open-write-close").flush, JST_FLUSH_EACH);
    assert_int_equal(taken("aggregate-write").flush, JST_FLUSH_NONE);
    assert_int_equal(taken("read").flush, JST_FLUSH_NONE);
}

static void values(void **unused)
{
    (void)unused;
    struct jst_options o =
        taken("aggregate-write --chunk=64KiB --piece 4K --volume 1.5GiB --shared "
              "--flush end --processes 4 --dir /scratch --job x --quiet --keep");
    assert_int_equal(o.chunk, 65536);
    assert_int_equal(o.piece, 4096);
    assert_int_equal(o.volume, 3 * JST_GIB / 2);
    assert_int_equal(o.flush, JST_FLUSH_END);
    assert_int_equal(o.processes, 4);
    assert_int_equal(o.time_ns, 0);
    assert_true(o.shared && o.quiet && o.keep);
    assert_string_equal(o.dir, "/scratch");
    o = taken("--period 24 write-seek --time 500ms --start 1700000000.123456789 --slice 250ms");
    assert_int_equal(o.rhythm.period_ns, 24 * JST_SECOND);
    assert_int_equal(o.rhythm.active_ns, 12 * JST_SECOND);
    assert_int_equal(o.time_ns, 500 * JST_MS);
    assert_true(o.start_ns == 1700000000123456789);
    assert_int_equal(o.slice_ns, 250 * JST_MS);
    o = taken("write-seek --period 0.5 --duty 0.2 --phase 0.1 --until-stopped");
    assert_int_equal(o.rhythm.active_ns, 100 * JST_MS);
    assert_int_equal(o.rhythm.phase_ns, 100 * JST_MS);
    assert_int_equal(o.time_ns, 0);
    o = taken("write-seek --duty 0.25"); /* periodic, with the period by default */
    assert_int_equal(o.rhythm.period_ns, 24 * JST_SECOND);
    assert_int_equal(o.rhythm.active_ns, 6 * JST_SECOND);
    o = taken("open-write-close --chunk 40000 --piece 4 --reuse");
    assert_int_equal(o.piece, 4);
    assert_true(o.reuse);
}

static void sizes_and_times(void **unused)
{
    static const char *const no_size[] = {
        "",           "x",   "1X", "-1",   "1.5", "1 KiB", "99999999999999999999",
        "8388608TiB", "1KB", ".",  "1KiBB"};
    static const char *const no_time[] = {"",   "s", "1h", "-1", "1e3", "99999999999999999999",
                                          "1 s"};
    uint64_t bytes;
    int64_t ns;

    (void)unused;
    assert_true(jst_parse_size("2048", &bytes) && bytes == 2048);
    assert_true(jst_parse_size("2KiB", &bytes) && bytes == 2048);
    assert_true(jst_parse_size("2k", &bytes) && bytes == 2048);
    assert_true(jst_parse_size("0.5M", &bytes) && bytes == JST_MIB / 2);
    assert_true(jst_parse_size("256MiB", &bytes) && bytes == 256 * JST_MIB);
    assert_true(jst_parse_size("3T", &bytes) && bytes == 3072 * JST_GIB);
    for (size_t i = 0; i < sizeof no_size / sizeof *no_size; i++)
        if (jst_parse_size(no_size[i], &bytes))
            fail_msg("'%s' was taken for a size", no_size[i]);
    assert_true(jst_parse_seconds("4", &ns) && ns == 4 * JST_SECOND);
    assert_true(jst_parse_seconds("0.25s", &ns) && ns == 250 * JST_MS);
    assert_true(jst_parse_seconds("1.5ms", &ns) && ns == 1500000);
    assert_true(jst_parse_seconds("2min", &ns) && ns == 120 * JST_SECOND);
    assert_true(jst_parse_seconds("0.0000000019", &ns) && ns == 1); /* cut off, not rounded */
    for (size_t i = 0; i < sizeof no_time / sizeof *no_time; i++)
        if (jst_parse_seconds(no_time[i], &ns))
            fail_msg("'%s' was taken for a time", no_time[i]);
}

static void mistakes(void **unused)
{
    (void)unused;
    refused("", "no pattern");
    refused("wite-seek", "did you mean write-seek?");
    refused("open-write", "did you mean open-write-close?");
    refused("xyzzy", "the patterns are open-write-close");
    refused("write-seek read", "one pattern too many");
    refused("write-seek --chnk 4", "did you mean --chunk?");
    refused("write-seek --nothing-like-it 4", "--help");
    refused("write-seek -c 4", "--help");
    refused("write-seek --chunk", "needs a value");
    refused("write-seek --chunk=", "for example --chunk 64KiB");
    refused("write-seek --chunk 0", "a size above 0");
    refused("write-seek --time 0", "a time above 0");
    refused("write-seek --iterations 1.5", "a whole number");
    refused("write-seek --shared=yes", "takes no value");
    refused("write-seek --flush always", "each, end or none");
    refused("write-seek --duty 2 --period 1", "from 0 to 1");
    refused("write-seek --period 0.001", "less than a millisecond");
    refused("write-seek --until-stopped --volume 1M", "contradict");
    refused("write-seek --reuse", "open-write-close");
    refused("open-write-close --flush end", "--flush each or none");
    refused("read --flush each", "leave --flush out");
    refused("write-seek --piece 2MiB", "more than the chunk");
    refused("write-seek --direct --chunk 1000", "multiples of 4KiB");
    refused("write-seek --api mpiio", "mpirun");
    refused("ping", "mpirun");
    refused("cpu --volume 1M", "--time or --iterations");
    refused("cpu --direct", "leave it out");
    refused("write-seek --split", "network patterns");
    refused("write-seek --slice 2h", "--slice");
}

static void environment(void **unused)
{
    struct jst_options options;
    int status;

    (void)unused;
    setenv("JOSTLE_SLICE", "100ms", 1);
    setenv("JOSTLE_JOB", "other", 1);
    struct jst_options o = taken("cpu");
    assert_int_equal(o.slice_ns, 100 * JST_MS);
    assert_string_equal(o.job, "other");
    o = taken("cpu --slice 2 --job mine");
    assert_int_equal(o.slice_ns, 2 * JST_SECOND);
    assert_string_equal(o.job, "mine");
    setenv("JOSTLE_SLICE", "often", 1);
    assert_false(read_line(&options, "cpu", &status));
    assert_non_null(strstr(said, "JOSTLE_SLICE"));
    unsetenv("JOSTLE_SLICE");
    unsetenv("JOSTLE_JOB");
}

static void random_bytes_do_not_repeat(void **unused)
{
    static unsigned char a[4096], b[4096];
    unsigned seen[256] = {0};

    (void)unused;
    jst_fill_random(a, sizeof a, 7);
    jst_fill_random(b, sizeof b, 7);
    assert_memory_equal(a, b, sizeof a);
    jst_fill_random(b, sizeof b, 8);
    assert_memory_not_equal(a, b, sizeof a);
    for (size_t i = 0; i < sizeof a; i++)
        seen[a[i]]++;
    for (unsigned i = 0; i < 256; i++)
        assert_in_range(seen[i], 1, 48); /* 16 expected */
    b[9] = 99;
    jst_fill_random(b, 9, 1);
    assert_int_equal(b[9], 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),        cmocka_unit_test(values),
        cmocka_unit_test(sizes_and_times), cmocka_unit_test(mistakes),
        cmocka_unit_test(environment),     cmocka_unit_test(random_bytes_do_not_repeat),
    };
    unsetenv("JOSTLE_SLICE");
    unsetenv("JOSTLE_JOB");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
