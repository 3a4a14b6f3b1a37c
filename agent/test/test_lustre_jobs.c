/* test_lustre_jobs.c: tests jobs' requests to a Lustre target, reading by reading. */
#include "tree.h"

#include "../src/sources/file_systems/lustre.c"
#include "../src/sources/file_systems/lustre_jobs.c"

#define OST "/proc/fs/lustre/obdfilter/scratch-OST0003/job_stats"
#define MDT "/proc/fs/lustre/mdt/scratch-MDT0000/job_stats"

static char text[1 << 20];
static size_t used;

static jst_sample s;

/* As if the agent began now. */
static void forget_all(void)
{
    for (size_t i = 0; table.used && i < PLACES; i++)
        table.of[i].key = 0;
    followed *of = table.of;
    memset(&table, 0, sizeof table);
    table.of = of;
}

static int begin(void **state)
{
    (void)state;
    tree_begin();
    forget_all();
    tree_put_text(OST, "job_stats:\n");
    assert_null(jst_source_lustre_jobs.open());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tree_end();
    return 0;
}

static void list_begins(void)
{
    used = (size_t)sprintf(text, "job_stats:\n");
}

static void list(const char *id, uint64_t bytes, unsigned start)
{
    used +=
        (size_t)sprintf(text + used, "- job_id:          %s\n  snapshot_time:   1510781837\n", id);
    if (start)
        used += (size_t)sprintf(text + used, "  start_time:      %u.000000001 secs.nsecs\n", start);
    used += (size_t)sprintf(
        text + used,
        "  read_bytes:      { samples: %llu, unit: bytes, min: 1, max: 9, sum: %llu }\n"
        "  setattr:         { samples: 2, unit: reqs }\n",
        (unsigned long long)(bytes / 10), (unsigned long long)bytes);
}

static const char *sample_list(void)
{
    tree_put(OST, text, used);
    table.rest_until_ns = 0;
    return tree_sample(&jst_source_lustre_jobs, &s);
}

/* The increase of a job in the sample. */
static uint64_t gained(const char *job)
{
    const jst_component *c = jst_test_component(&s, JST_KIND_LUSTRE_JOB, "scratch-OST0003", job);
    return jst_test_gained(c, JST_STORAGE_READ_BYTES);
}

static void increases_of_active_jobs_only(void **state)
{
    (void)state;
    list_begins();
    list("43", 1000, 0);
    list("kworker/86:1.0", 5000, 0);
    assert_null(sample_list());
    assert_int_equal(s.count, 0); /* the baseline */

    list_begins();
    list("43", 1500, 0);
    list("kworker/86:1.0", 5000, 0);
    list("44", 70, 0); /* new: all of it is of this slice */
    assert_null(sample_list());
    assert_int_equal(s.count, 2);
    assert_int_equal(gained("slurm-43"), 500);
    assert_int_equal(gained("slurm-44"), 70);
    const jst_component *c =
        jst_test_component(&s, JST_KIND_LUSTRE_JOB, "scratch-OST0003", "slurm-43");
    assert_string_equal(c->names.source, "scratch");
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 50);
    assert_false(jst_test_has(c, JST_STORAGE_META_OPS)); /* nothing new */

    assert_null(sample_list());
    assert_int_equal(s.count, 0);
}

static void a_job_that_begins_anew_counts_from_zero(void **state)
{
    (void)state;
    list_begins();
    list("43", 1000, 100);
    list("44", 1000, 0);
    sample_list();
    list_begins();
    list("43", 1200, 500); /* more than before, but by its start it is new */
    list("44", 300, 0);    /* less than before */
    assert_null(sample_list());
    assert_int_equal(gained("slurm-43"), 1200);
    assert_int_equal(gained("slurm-44"), 300);
}

static void a_job_that_is_forgotten_and_comes_back(void **state)
{
    (void)state;
    list_begins();
    list("43", 1000, 0);
    list("44", 10, 0);
    sample_list();
    list_begins();
    list("44", 10, 0);
    sample_list(); /* left out once: the list changed while it was read */
    list_begins();
    list("43", 1100, 0);
    list("44", 10, 0);
    sample_list();
    assert_int_equal(gained("slurm-43"), 100);
    list_begins();
    list("44", 10, 0);
    for (int i = 0; i < MISSED + 1; i++)
        sample_list();
    assert_int_equal(table.used, 1);
    list_begins();
    list("43", 1200, 0); /* it expired on the server: these bytes are new */
    list("44", 10, 0);
    sample_list();
    assert_int_equal(gained("slurm-43"), 1200);
}

/* After an incomplete reading it is not known whether a job is new. */
static void a_torn_reading_makes_no_job_new(void **state)
{
    (void)state;
    list_begins();
    list("43", 1000, 0);
    list("44", 2000, 0);
    tree_put(OST, text, used);
    for (size_t cut = 0; cut < used; cut++) {
        forget_all();
        tree_put(OST, text, cut);
        table.rest_until_ns = 0;
        const char *said = tree_sample(&jst_source_lustre_jobs, &s);
        assert_true((said != NULL) == (cut && text[cut - 1] != '\n'));
        assert_int_equal(s.count, 0);
        if (cut && text[cut - 1] != '\n') { /* no kernel cuts between lines */
            assert_null(sample_list());
            assert_int_equal(s.count, 0);
        }
    }
}

static void unusable_sums_are_unknown(void **state)
{
    (void)state;
    list_begins();
    list("43", 10, 0);
    sample_list();
    list_begins();
    list("43", INT64_MAX, 0);
    assert_null(sample_list());
    const jst_component *c =
        jst_test_component(&s, JST_KIND_LUSTRE_JOB, "scratch-OST0003", "slurm-43");
    assert_true(jst_test_unknown(c, JST_STORAGE_READ_BYTES));
    assert_true(jst_test_has(c, JST_STORAGE_READ_OPS));
}

static void a_job_that_is_listed_twice_counts_once(void **state)
{
    (void)state;
    list_begins();
    list("43", 10, 0);
    sample_list();
    list_begins();
    list("43", 30, 0);
    list("43", 20, 0);
    assert_null(sample_list());
    assert_int_equal(gained("slurm-43"), 20);
}

static void targets_are_apart(void **state)
{
    (void)state;
    tree_put_text(MDT, "job_stats:\n");
    list_begins();
    list("43", 10, 0);
    sample_list();
    tree_put_text(MDT, "job_stats:\n- job_id: 43\n  open: { samples: 5, unit: reqs }\n");
    sample_list();
    assert_int_equal(s.count, 1);
    const jst_component *c =
        jst_test_component(&s, JST_KIND_LUSTRE_JOB, "scratch-MDT0000", "slurm-43");
    assert_int_equal(jst_test_gained(c, JST_STORAGE_META_OPS), 5);
}

static void more_jobs_than_places(void **state)
{
    (void)state;
    list_begins();
    list("43", 10, 0);
    list("44", 10, 0);
    sample_list();
    unsigned really = table.used;
    table.used = JOBS; /* as if there were no place */
    list("45", 10, 0);
    assert_non_null(sample_list());
    assert_int_equal(s.count, 0);
    table.used = really;
    list_begins();
    list("43", 10, 0);
    list("44", 10, 0);
    list("45", 10, 0);
    assert_null(sample_list()); /* now it is followed, from here on */
    assert_int_equal(s.count, 0);
    list_begins();
    list("45", 30, 0);
    sample_list();
    assert_int_equal(gained("slurm-45"), 20);
}

static void forgetting_moves_up_what_stands_behind(void **state)
{
    (void)state;
    /* four keys of the same place near the end of the table, one of the next: they wrap around */
    static const uint64_t keys[] = {PLACES - 1, 2 * PLACES - 1ull, 3 * PLACES - 1ull, PLACES,
                                    4 * PLACES - 1ull};
    for (unsigned gone = 0; gone < 5; gone++) {
        forget_all();
        for (unsigned i = 0; i < 5; i++) {
            followed *f = place_of(keys[i]);
            assert_int_equal(f->key, 0);
            f->key = keys[i];
            f->value[0] = i + 1;
            table.used++;
        }
        forget((size_t)(place_of(keys[gone]) - table.of));
        for (unsigned i = 0; i < 5; i++) {
            if (i == gone)
                assert_int_equal(place_of(keys[i])->key, 0);
            else
                assert_int_equal(place_of(keys[i])->value[0], i + 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(increases_of_active_jobs_only, begin, end),
        cmocka_unit_test_setup_teardown(a_job_that_begins_anew_counts_from_zero, begin, end),
        cmocka_unit_test_setup_teardown(a_job_that_is_forgotten_and_comes_back, begin, end),
        cmocka_unit_test_setup_teardown(a_torn_reading_makes_no_job_new, begin, end),
        cmocka_unit_test_setup_teardown(unusable_sums_are_unknown, begin, end),
        cmocka_unit_test_setup_teardown(a_job_that_is_listed_twice_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(targets_are_apart, begin, end),
        cmocka_unit_test_setup_teardown(more_jobs_than_places, begin, end),
        cmocka_unit_test_setup_teardown(forgetting_moves_up_what_stands_behind, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
