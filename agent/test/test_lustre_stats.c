/* test_lustre_stats.c: tests parsing of the texts of Lustre's versions, against numbers that were
 * summed by hand. */
#include "tree.h"

#include "../src/sources/file_systems/lustre_stats.c"

#define UNKNOWN (UINT64_MAX)  /* there was a number, but not a usable one */
#define NONE (UINT64_MAX - 1) /* this version does not count it */
#define RB JST_STORAGE_READ_BYTES
#define RO JST_STORAGE_READ_OPS
#define RN JST_STORAGE_READ_NS
#define WB JST_STORAGE_WRITE_BYTES
#define WO JST_STORAGE_WRITE_OPS
#define WN JST_STORAGE_WRITE_NS
#define MO JST_STORAGE_META_OPS
#define MN JST_STORAGE_META_NS
#define SO JST_STORAGE_SYNC_OPS
#define SN JST_STORAGE_SYNC_NS
#define AN JST_STORAGE_WAIT_NS
#define AO JST_STORAGE_WAIT_OPS

static jst_sample s;
static char text[65536];

static size_t load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, JST_FIXTURES "/lustre/%s", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    return n;
}

static void stats_of(const char *from, size_t n, jst_lustre_totals *t)
{
    memset(t, 0, sizeof *t);
    if (jst_lustre_stats(from, n, t) < n)
        t->torn = true;
}

static uint64_t value_of(const jst_lustre_totals *t, unsigned metric)
{
    bool unknown;
    if (jst_lustre_known(t, metric, &unknown))
        return t->value[metric];
    return unknown ? UNKNOWN : NONE;
}

static const struct {
    const char *file;
    uint64_t rb, ro, rn, wb, wo, wn, mo, mn, so, sn, an, ao;
} expected[] = {
    {"llite-2.5.txt", 9437184, 14, NONE, 3145728, 3, NONE, 35, NONE, 0, 0, 0, 0},
    {"llite-2.10.txt", 100663296, 32, NONE, 93813797294080, 89467810, NONE, 72999, NONE, 12, NONE,
     0, 0},
    {"llite-2.14.txt", 419430400, 200, 1200345000, 104857600, 100, 700001000, 71911107,
     3433651648000, 5, 25000000, 0, 0},
    {"llite-2.15.0.txt", 4096, 1, 0, 0, 0, 0, 9, 40000, 0, 0, 0, 0},
    {"llite-2.16.txt", 40960, 10, NONE, 6, 4, 6000, 2, 300000, 0, 0, 0, 0},
    {"llite-2.16-headless.txt", 0, 0, 0, 6, 4, NONE, 0, 0, 0, 0, 0, 0},
    {"llite-2.17.txt", 40960, 10, NONE, 6, 4, UNKNOWN, 2, 300000, 0, 0, 0, 0},
    {"llite-stuck.txt", UNKNOWN, 200, NONE, 104857600, 100, NONE, 5, UNKNOWN, 5, UNKNOWN, 0, 0},
    {"osc-2.12.txt", 2525233152, 1204, 1204000000, 37748736, 18, 90000000, 29, 4990000, 3, 9000000,
     110282569237000, 18215581},
    {"mdc-2.12.txt", 0, 0, 0, 0, 0, 0, 1812742, 647431708000, 262, 33767303000, 908745020000,
     1885503},
    {"ost-2.10.txt", 52428800, 50, NONE, 20971520, 20, NONE, 1116, NONE, 2, NONE, 0, 0},
    {"ost-2.15.txt", 52428800, 50, 500000000, 20971520, 20, 400000000, 1112, 22140000, 2, 3000000,
     0, 0},
    {"mdt-2.10.txt", 0, 0, 0, 0, 0, 0, 4017, NONE, 6, NONE, 0, 0},
    {"mdt-2.16.txt", 0, 0, 0, 0, 0, 0, 2003, 40787000, 0, 0, 0, 0},
};

static void every_version_is_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const uint64_t *e = &expected[i].rb;
        static const unsigned metrics[] = {RB, RO, RN, WB, WO, WN, MO, MN, SO, SN, AN, AO};
        jst_lustre_totals t;
        stats_of(text, load(expected[i].file), &t);
        for (size_t m = 0; m < 12; m++)
            if (value_of(&t, metrics[m]) != e[m])
                fail_msg("%s: metric %u is %llu, not %llu", expected[i].file, metrics[m],
                         (unsigned long long)value_of(&t, metrics[m]), (unsigned long long)e[m]);
    }
}

static void start_time_may_be_missing(void **state)
{
    (void)state;
    jst_lustre_totals t;
    stats_of(text, load("llite-2.14.txt"), &t);
    assert_false(t.has_start);
    stats_of(text, load("llite-2.15.0.txt"), &t);
    assert_true(t.has_start);
    assert_int_equal(t.start_s, 379104);
}

/* A text that ends within a line has no numbers at all; one that ends after a line has those of the
 * lines before. */
static void torn_stats_are_unknown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t n = load(expected[i].file);
        for (size_t cut = 0; cut < n; cut++) {
            jst_lustre_totals t;
            char *copy = malloc(cut ? cut : 1); /* so that a sanitizer detects a read beyond it */
            memcpy(copy, text, cut);
            stats_of(copy, cut, &t);
            free(copy);
            assert_int_equal(t.torn, cut && text[cut - 1] != '\n');
            if (t.torn)
                for (unsigned m = 0; m < JST_LUSTRE_CELLS; m++)
                    assert_true(value_of(&t, m) == UNKNOWN);
        }
    }
}

static void waiting_is_reported_for_requests_only(void **state)
{
    (void)state;
    jst_lustre_totals t;
    stats_of(text, load("osc-2.12.txt"), &t);
    jst_sample_free(&s);
    jst_component *c =
        jst_component_of(&s, &(jst_names){.kind = JST_KIND_LUSTRE_OSC, .name = "scratch-OST0003"});
    jst_lustre_report(c, &t, true);
    assert_true(jst_test_number(c, AN) == 110282569237000);
    assert_int_equal(jst_test_number(c, AO), 18215581);
    assert_false(jst_test_has(c, JST_STORAGE_BUSY_NS));
    c = jst_component_of(&s, &(jst_names){.kind = JST_KIND_LUSTRE_OST, .name = "x"});
    jst_lustre_report(c, &t, false);
    assert_false(jst_test_has(c, AN) || jst_test_has(c, AO));
    assert_int_equal(jst_test_number(c, RB), 2525233152);
}

static void numbers_that_cannot_be_are_unknown(void **state)
{
    (void)state;
    jst_lustre_totals t;
    static const char minus[] = "read_bytes -3 samples [bytes] 1 2 3\n";
    stats_of(minus, sizeof minus - 1, &t);
    assert_true(value_of(&t, RB) == UNKNOWN);
    assert_true(value_of(&t, RO) == UNKNOWN);
    static const char full[] = "open 2 samples [usecs] 1 2 9223372036854775000\n";
    stats_of(full, sizeof full - 1, &t);
    assert_true(value_of(&t, MN) == UNKNOWN); /* in nanoseconds it does not fit */
    assert_int_equal(value_of(&t, MO), 2);
}

/* ---- job_stats ------------------------------------------------------------------------------- */

static struct {
    char id[JST_LUSTRE_ID];
    jst_lustre_totals t;
} jobs[16];
static int jobs_used;

static void job(void *to, const char *id, const jst_lustre_totals *t)
{
    (void)to;
    assert_true(jobs_used < 16);
    strcpy(jobs[jobs_used].id, id);
    jobs[jobs_used++].t = *t;
}

/* Feeds n bytes in pieces, each on the heap. */
static bool feed(const char *from, size_t n, size_t piece_bytes)
{
    static jst_lustre_jobs p;
    jobs_used = 0;
    jst_lustre_jobs_begin(&p, job, NULL);
    for (size_t at = 0; at < n; at += piece_bytes) {
        size_t length = n - at < piece_bytes ? n - at : piece_bytes;
        char *copy = malloc(length);
        memcpy(copy, from + at, length);
        jst_lustre_jobs_feed(&p, copy, length);
        free(copy);
    }
    return jst_lustre_jobs_end(&p);
}

static uint64_t job_value(int i, unsigned metric)
{
    return value_of(&jobs[i].t, metric);
}

static void check_2_14(void)
{
    assert_int_equal(jobs_used, 5);
    assert_string_equal(jobs[0].id, "43");
    assert_int_equal(job_value(0, RB), 1052672);
    assert_int_equal(job_value(0, RO), 2);
    assert_int_equal(job_value(0, WB), 4096);
    assert_int_equal(job_value(0, WO), 1);
    assert_int_equal(job_value(0, MO), 4);
    assert_int_equal(job_value(0, SO), 5);
    assert_true(job_value(0, RN) == NONE);
    assert_true(job_value(0, MN) == NONE);
    assert_string_equal(jobs[1].id, "kworker/86:1.0");
    assert_int_equal(job_value(1, WB), 36864);
    assert_int_equal(job_value(1, WO), 9);
    assert_string_equal(jobs[2].id, ".0");
    assert_int_equal(job_value(2, MO), 7);
    assert_string_equal(jobs[3].id, "");
    assert_int_equal(job_value(3, MO), 8);
    assert_string_equal(jobs[4].id, "my prog.1000");
    assert_int_equal(job_value(4, MO), 2); /* an operation of an unknown name */
    assert_int_equal(job_value(4, RB), 0);
}

static void jobs_of_every_version(void **state)
{
    (void)state;
    assert_true(feed(text, load("jobs-2.14.txt"), sizeof text));
    check_2_14();

    assert_true(feed(text, load("jobs-2.15.0.txt"), sizeof text));
    assert_int_equal(jobs_used, 2);
    assert_string_equal(jobs[0].id, "4711");
    assert_true(jobs[0].t.has_start);
    assert_int_equal(jobs[0].t.start_s, 379104);
    assert_int_equal(job_value(0, RB), 0);
    assert_int_equal(job_value(0, WB), 40960);
    assert_int_equal(job_value(0, WN), 9000000);
    assert_int_equal(job_value(0, MO), 2);
    assert_int_equal(job_value(0, MN), 17000);
    assert_string_equal(jobs[1].id, "rsync_env.sh.30026");
    assert_int_equal(job_value(1, MO), 5051);
    assert_int_equal(job_value(1, MN), 236426000);
    assert_int_equal(job_value(1, RO), 3);
    assert_true(job_value(1, RB) == UNKNOWN);

    assert_true(feed(text, load("jobs-2.16.txt"), sizeof text));
    assert_int_equal(jobs_used, 2);
    assert_string_equal(jobs[0].id, "my prog\\x0a\"q\".1000");
    assert_int_equal(jobs[0].t.start_s, 1729990000);
    assert_int_equal(job_value(0, RB), 1081344);
    assert_int_equal(job_value(0, RN), 100000);
    assert_string_equal(jobs[1].id, "0123456789012345678901234567890");
    assert_int_equal(job_value(1, WB), 1);
    assert_false(jobs[1].t.has_start);
}

static void the_size_of_reads_does_not_matter(void **state)
{
    (void)state;
    size_t n = load("jobs-2.14.txt");
    for (size_t step = 1; step < 200; step++) {
        assert_true(feed(text, n, step));
        check_2_14();
    }
}

/* A job is reported when the text continues after it, with only the numbers of whole lines. */
static void torn_jobs_are_left_out(void **state)
{
    (void)state;
    static const char *files[] = {"jobs-2.14.txt", "jobs-2.15.0.txt", "jobs-2.16.txt"};
    for (int i = 0; i < 3; i++) {
        size_t n = load(files[i]);
        static struct jst_lustre_totals whole[16];
        assert_true(feed(text, n, sizeof text));
        for (int k = 0; k < jobs_used; k++)
            whole[k] = jobs[k].t;
        for (size_t cut = 1; cut < n; cut++) {
            bool at_end = text[cut - 1] == '\n';
            assert_int_equal(feed(text, cut, sizeof text), at_end);
            int sure = at_end ? jobs_used - 1 : jobs_used; /* the last one may go on */
            for (int k = 0; k < sure; k++)
                assert_memory_equal(&whole[k], &jobs[k].t, sizeof whole[k]);
        }
    }
}

static void a_line_without_its_end_is_unknown(void **state)
{
    (void)state;
    static const char half[] = "- job_id: 7\n"
                               "  read_bytes: { samples: 5, unit: bytes, min: 1, max: 2, sum: 10\n"
                               "  setattr: { samples: 3, unit: reqs }\n";
    assert_true(feed(half, sizeof half - 1, 4096));
    assert_int_equal(jobs_used, 1);
    assert_true(job_value(0, RB) == UNKNOWN);
    assert_true(job_value(0, RO) == UNKNOWN);
}

/* A histogram that makes the line longer than the buffer hides nothing: the sum is before it. */
static void long_lines_are_cut(void **state)
{
    (void)state;
    static char line[8192];
    int n = sprintf(line, "- job_id: 7\n  read_bytes: { samples: 5, unit: bytes, min: 1, max: 2, "
                          "sum: 10, sumsq: 20, hist: {");
    for (int i = 0; i < 600; i++)
        n += sprintf(line + n, " %dK: 1,", i);
    n += sprintf(line + n, " } }\n- job_id: 8\n");
    for (size_t step = 1; step < 3000; step += 97) {
        assert_true(feed(line, (size_t)n, step));
        assert_int_equal(jobs_used, 2);
        assert_int_equal(job_value(0, RB), 10);
        assert_string_equal(jobs[1].id, "8");
    }
}

static void ids_of_digits_are_slurms(void **state)
{
    (void)state;
    char to[JST_LUSTRE_ID + 8];
    assert_string_equal(jst_lustre_job_name("43", to), "slurm-43");
    assert_string_equal(jst_lustre_job_name("43:1000:node1", to), "43:1000:node1");
    assert_string_equal(jst_lustre_job_name(".0", to), ".0");
    assert_string_equal(jst_lustre_job_name("", to), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_understood),
        cmocka_unit_test(start_time_may_be_missing),
        cmocka_unit_test(torn_stats_are_unknown),
        cmocka_unit_test(waiting_is_reported_for_requests_only),
        cmocka_unit_test(numbers_that_cannot_be_are_unknown),
        cmocka_unit_test(jobs_of_every_version),
        cmocka_unit_test(the_size_of_reads_does_not_matter),
        cmocka_unit_test(torn_jobs_are_left_out),
        cmocka_unit_test(a_line_without_its_end_is_unknown),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(ids_of_digits_are_slurms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
