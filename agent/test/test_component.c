/* test_component.c: tests increases, epochs, wraps, unknown values, and bounded memory. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static jst_sample s;

static int begin(void **state)
{
    (void)state;
    jst_sample_free(&s);
    return 0;
}

/* One sample of one component; its name decides what it reports. */
static jst_component *disk(const char *name)
{
    return jst_component_of(&s, &(jst_names){.kind = JST_KIND_DISK, .name = name});
}

static jst_component *count_reads(uint64_t now)
{
    jst_sample_begin(&s);
    jst_component *c = disk("sda");
    jst_counter(c, JST_STORAGE_READ_OPS, now);
    jst_sample_end(&s);
    return c;
}

static void first_numbers_are_where_counting_begins(void **state)
{
    (void)state;
    jst_component *c = count_reads(1000);
    assert_false(jst_component_gained(c));
    assert_ptr_equal(count_reads(1007), c);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 7);
    count_reads(1010);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 10);
    assert_false(c->epoch);
}

static void going_back_is_an_epoch(void **state)
{
    (void)state;
    count_reads(1000);
    jst_component *c = count_reads(4);
    assert_true(c->epoch);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 4);
}

static void a_new_start_is_an_epoch_though_the_number_grew(void **state)
{
    (void)state;
    jst_component *c = NULL;
    for (uint64_t start = 5; start <= 6; start++) {
        jst_sample_begin(&s);
        c = disk("sda");
        jst_since(c, start);
        jst_counter(c, JST_STORAGE_READ_OPS, 100 * start);
        jst_sample_end(&s);
    }
    assert_true(c->epoch);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 600);
}

static jst_component *energy(uint64_t now, uint64_t most)
{
    jst_sample_begin(&s);
    jst_component *c = disk("package");
    jst_counter_wraps(c, JST_POWER_ENERGY_UJ, now, most);
    jst_sample_end(&s);
    return c;
}

static void a_wrap_is_no_epoch(void **state)
{
    (void)state;
    energy(998, 999);
    jst_component *c = energy(3, 999);
    assert_int_equal(jst_test_gained(c, JST_POWER_ENERGY_UJ), 5);
    assert_false(c->epoch);
    energy(1000, 999); /* beyond what it can show */
    assert_true(jst_test_unknown(c, JST_POWER_ENERGY_UJ));
}

/* A disk that was removed and added again under its name: it did not work for 49 days since. */
static void what_began_anew_did_not_wrap(void **state)
{
    (void)state;
    energy(10, 999);
    jst_component *c = energy(3, 999);
    assert_int_equal(jst_test_gained(c, JST_POWER_ENERGY_UJ), 3);
    assert_true(c->epoch);
    energy(700, 999);
    energy(2, 999); /* indistinguishable from a wrap */
    assert_int_equal(jst_test_gained(c, JST_POWER_ENERGY_UJ), 3 + 697 + 302);
}

static void what_is_not_known_is_not_zero(void **state)
{
    (void)state;
    count_reads(10);
    jst_component *c = count_reads(12);
    jst_sample_begin(&s);
    jst_unknown(disk("sda"), JST_STORAGE_READ_OPS);
    jst_sample_end(&s);
    assert_true(jst_test_unknown(c, JST_STORAGE_READ_OPS));
    c->unknown = 0; /* it was written */
    count_reads(5000);
    assert_true(jst_test_unknown(c, JST_STORAGE_READ_OPS)); /* since when is not known */
    assert_false(c->epoch);
    c->unknown = 0;
    count_reads(5001);
    assert_false(jst_test_unknown(c, JST_STORAGE_READ_OPS));
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 3);
}

static void what_comes_back_goes_on(void **state)
{
    (void)state;
    jst_component *c = count_reads(10);
    for (int i = 0; i < 60; i++) {
        jst_sample_begin(&s);
        jst_sample_end(&s);
    }
    assert_ptr_equal(count_reads(17), c);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 7);
}

static void what_is_gone_for_long_is_forgotten(void **state)
{
    (void)state;
    count_reads(10);
    for (int i = 0; i < 70; i++) {
        jst_sample_begin(&s);
        jst_sample_end(&s);
    }
    assert_int_equal(s.count, 0);
}

static void a_job_counts_from_zero_but_in_the_first_sample(void **state)
{
    jst_names job = {.kind = JST_KIND_BATCH_JOB, .name = "1", .job = "slurm-1", .from_zero = true};
    (void)state;
    jst_sample_begin(&s);
    jst_counter(jst_component_of(&s, &job), JST_CPU_USER_NS, 5000);
    jst_sample_end(&s);
    assert_int_equal(
        jst_test_gained(jst_test_component(&s, job.kind, "1", "slurm-1"), JST_CPU_USER_NS), 0);
    jst_sample_begin(&s);
    job.name = "2";
    jst_counter(jst_component_of(&s, &job), JST_CPU_USER_NS, 7000);
    jst_sample_end(&s);
    assert_int_equal(
        jst_test_gained(jst_test_component(&s, job.kind, "2", "slurm-1"), JST_CPU_USER_NS), 7000);
}

static void levels_are_of_the_newest_sample(void **state)
{
    (void)state;
    jst_sample_begin(&s);
    jst_component *c = disk("sda");
    jst_level(c, JST_STORAGE_QUEUED, 9);
    jst_level(c, JST_STORAGE_QUEUED, 4);
    jst_sample_end(&s);
    assert_int_equal(jst_test_number(c, JST_STORAGE_QUEUED), 4);
    jst_sample_begin(&s);
    jst_sample_end(&s);
    assert_false(jst_component_gained(c));
}

static void values_keep_their_metric_however_they_come(void **state)
{
    (void)state;
    jst_component *c = NULL;
    for (uint64_t round = 0; round < 2; round++) {
        jst_sample_begin(&s);
        c = disk("sda");
        for (unsigned m = JST_COMPONENT_METRICS; m-- > 0;)
            jst_counter(c, m, 1000 * m + round * m);
        jst_sample_end(&s);
    }
    for (unsigned m = 0; m < JST_COMPONENT_METRICS; m++)
        assert_int_equal(jst_test_gained(c, m), m);
}

static void what_a_server_serves_is_the_source_of_what_stands_behind_it(void **state)
{
    (void)state;
    jst_serves = "srv:/export";
    jst_sample_begin(&s);
    assert_string_equal(disk("sda")->names.source, "srv:/export");
    const jst_names machine = {.kind = JST_KIND_MACHINE, .name = "srv"};
    const jst_names mount = {.kind = JST_KIND_NFS_SERVER, .name = "nfsd", .source = "own"};
    assert_string_equal(jst_component_of(&s, &machine)->names.source, "");
    assert_string_equal(jst_component_of(&s, &mount)->names.source, "own");
    jst_serves_by = "sda1,sdb";
    assert_string_equal(disk("sdb")->names.source, "srv:/export");
    assert_string_equal(disk("sdc")->names.source, "");
    jst_sample_end(&s);
    jst_serves = "";
    jst_serves_by = NULL;
}

static void many(unsigned n, uint64_t each)
{
    char name[16];
    jst_sample_begin(&s);
    for (unsigned i = 0; i < n; i++) {
        snprintf(name, sizeof name, "d%u", i);
        jst_component *c = disk(name);
        jst_counter(c, JST_STORAGE_READ_OPS, each);
        jst_level(c, JST_STORAGE_QUEUED, 1);
    }
    jst_sample_end(&s);
}

static void beyond_the_limit_all_are_one(void **state)
{
    (void)state;
    many(JST_SOURCE_COMPONENTS + 10, 100);
    many(JST_SOURCE_COMPONENTS + 10, 103);
    assert_int_equal(s.count, JST_SOURCE_COMPONENTS + 1);
    const jst_component *c = jst_test_component(&s, JST_KIND_DISK, "others", NULL);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 30);
    assert_int_equal(jst_test_number(c, JST_STORAGE_QUEUED), 10);
    many(JST_SOURCE_COMPONENTS + 11, 104); /* another sum: its increase is not known */
    assert_true(jst_test_unknown(c, JST_STORAGE_READ_OPS));
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 30);
}

static void what_is_gone_makes_room(void **state)
{
    (void)state;
    many(JST_SOURCE_COMPONENTS, 1);
    for (int i = 0; i < 2; i++) {
        jst_sample_begin(&s);
        jst_sample_end(&s);
    }
    jst_sample_begin(&s);
    jst_counter(disk("new"), JST_STORAGE_READ_OPS, 1);
    jst_sample_end(&s);
    assert_true(jst_test_present(&s, JST_KIND_DISK, "new"));
    assert_int_equal(s.count, 1);
}

static void increases_need_no_number_before(void **state)
{
    (void)state;
    char name[32];
    for (int round = 1; round <= 3; round++) {
        jst_sample_begin(&s);
        jst_increase(disk("sda"), JST_STORAGE_READ_OPS, 7);
        /* more than fit, and not the same in each sample */
        for (int i = 0; i < JST_SOURCE_COMPONENTS + 10 * round; i++) {
            snprintf(name, sizeof name, "job%d", i);
            jst_increase(disk(name), JST_STORAGE_READ_OPS, 1);
        }
        jst_sample_end(&s);
    }
    const jst_component *c = jst_test_component(&s, JST_KIND_DISK, "sda", NULL);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 21);
    c = jst_test_component(&s, JST_KIND_DISK, "others", NULL);
    assert_int_equal(jst_test_gained(c, JST_STORAGE_READ_OPS), 11 + 21 + 31);
    assert_false(jst_test_unknown(c, JST_STORAGE_READ_OPS));
}

/* More metrics than a word has bits, though schema/metrics.toml has fewer yet. */
static void metrics_beyond_a_word(void **state)
{
    (void)state;
    static const int order[] = {100, 3, 63, 64, 127, 0};
    jst_sample_begin(&s);
    jst_component *c = disk("sda");
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        jst_level(c, (enum jst_component_metric)order[i], (uint64_t)order[i] + 1);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        assert_true((c->has & c->levels & JST_METRIC(order[i])) != 0);
        assert_int_equal(jst_value_of(c, (unsigned)order[i])->gained, order[i] + 1);
    }
    assert_false((c->has & JST_METRIC(36)) != 0);
    jst_sample_end(&s);
}

static void a_process_is_one_component_for_each_set_of_cores(void **state)
{
    (void)state;
    jst_names who = {.kind = JST_KIND_PROCESS, .name = "dd", .pid = 5, .source = "0"};
    jst_sample_begin(&s);
    jst_component *on = jst_component_of(&s, &who);
    who.source = "0-1";
    jst_component *any = jst_component_of(&s, &who);
    assert_ptr_not_equal(on, any);
    jst_increase(on, JST_CPU_USED_NS, 3000);
    jst_increase(any, JST_CPU_USED_NS, 4000);
    who.source = "0";
    assert_ptr_equal(jst_component_of(&s, &who), on);
    jst_sample_end(&s);
    assert_string_equal(on->names.source, "0");
    assert_int_equal(jst_value_of(on, JST_CPU_USED_NS)->gained, 3000);
    assert_int_equal(jst_value_of(any, JST_CPU_USED_NS)->gained, 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(first_numbers_are_where_counting_begins, begin),
        cmocka_unit_test_setup(increases_need_no_number_before, begin),
        cmocka_unit_test_setup(going_back_is_an_epoch, begin),
        cmocka_unit_test_setup(a_new_start_is_an_epoch_though_the_number_grew, begin),
        cmocka_unit_test_setup(a_wrap_is_no_epoch, begin),
        cmocka_unit_test_setup(what_began_anew_did_not_wrap, begin),
        cmocka_unit_test_setup(what_is_not_known_is_not_zero, begin),
        cmocka_unit_test_setup(what_comes_back_goes_on, begin),
        cmocka_unit_test_setup(what_is_gone_for_long_is_forgotten, begin),
        cmocka_unit_test_setup(a_job_counts_from_zero_but_in_the_first_sample, begin),
        cmocka_unit_test_setup(levels_are_of_the_newest_sample, begin),
        cmocka_unit_test_setup(values_keep_their_metric_however_they_come, begin),
        cmocka_unit_test_setup(metrics_beyond_a_word, begin),
        cmocka_unit_test_setup(what_a_server_serves_is_the_source_of_what_stands_behind_it, begin),
        cmocka_unit_test_setup(beyond_the_limit_all_are_one, begin),
        cmocka_unit_test_setup(what_is_gone_makes_room, begin),
        cmocka_unit_test_setup(a_process_is_one_component_for_each_set_of_cores, begin),
    };
    return cmocka_run_group_tests_name("component", tests, NULL, NULL);
}
