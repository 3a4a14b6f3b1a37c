/* test_cgroup.c: tests control groups of batch jobs: fixtures of both versions, and a real
 * group. */
#include "tree.h"

#include "../src/sources/hardware.h"
#include "../src/sources/host/cgroup.h"

static jst_sample s;

static int begin_second(void **state)
{
    (void)state;
    tree_begin_with(JST_FIXTURES "/cgroup2.tree");
    return 0;
}

static int begin_first(void **state)
{
    (void)state;
    tree_begin_with(JST_FIXTURES "/cgroup1.tree");
    return 0;
}

static int end(void **state)
{
    (void)state;
    jst_sample_free(&s);
    tree_end();
    return 0;
}

static void take(void)
{
    assert_null(tree_more(&jst_source_batch_jobs, &s));
}

static const jst_component *job(const char *name, const char *id)
{
    return tree_find(&s, JST_KIND_BATCH_JOB, name, id);
}

static int disk(uint32_t major, uint32_t minor)
{
    (void)minor;
    return major == 7 ? JST_DEVICE_SKIP : major == 253 ? JST_DEVICE_STACKED : JST_DEVICE_DISK;
}

static void names(void **state)
{
    (void)state;
    uint64_t id;
    assert_true(jst_is_sluid("s5K1KKYAYG5D00"));
    assert_false(jst_is_sluid("s5K1KKYAYG5D0"));
    assert_false(jst_is_sluid("s5K1KKYAYG5DI0")); /* no I, L, O, U */
    assert_false(jst_is_sluid("system"));
    assert_true(jst_job_of_title("slurmstepd: [123.batch]", &id));
    assert_int_equal(id, 123);
    assert_true(jst_job_of_title("slurmstepd: [77.0 stepmgr]", &id));
    assert_false(jst_job_of_title("slurmstepd: [s5K1KKYAYG5D00.0]", &id));
    assert_false(jst_job_of_title("slurmstepd: [123:namespace]", &id));
    assert_false(jst_job_of_title("slurmstepd infinity", &id));
}

static void second_version(void **state)
{
    (void)state;
    assert_null(jst_source_batch_jobs.open());
    take();
    const jst_component *c = job("job_123", "slurm-123");
    assert_non_null(c);
    assert_int_equal(jst_test_number(c, JST_CPU_USER_NS), 4000000000);
    assert_int_equal(jst_test_number(c, JST_CPU_SYSTEM_NS), 1000000000);
    assert_int_equal(jst_test_number(c, JST_CPU_QUOTA_NS), 250000000);
    assert_int_equal(jst_test_number(c, JST_MEMORY_USED_BYTES), 920000000);
    assert_int_equal(jst_test_number(c, JST_MEMORY_LIMIT_BYTES), UINT64_C(8589934592));
    assert_int_equal(jst_test_number(c, JST_MEMORY_OOM_OPS), 2);
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 4096);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WRITE_OPS), 2);
    assert_int_equal(jst_test_number(c, JST_PRESSURE_CPU_NS), 1500000); /* its file has no "full" */
    assert_int_equal(jst_test_number(c, JST_PRESSURE_MEMORY_FULL_NS), 10000);
    assert_int_equal(jst_test_number(c, JST_PRESSURE_IO_NS), 700000);
    assert_int_equal(jst_test_number(c, JST_TASKS_COUNT), 48);
    assert_int_equal(jst_test_number(c, JST_CPU_COUNT), 5);
    assert_false(jst_test_has(c, JST_LINK_SEND_BYTES));
    /* Two devices on a line: the numbers are the second's. dm-crypt's bytes are its disk's, too. */
    c = job("job_124", "slurm-124");
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 1005);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WRITE_OPS), 21);
    assert_false(jst_test_has(c, JST_MEMORY_LIMIT_BYTES));
    c = job("job_125", "slurm-125"); /* incomplete */
    assert_true(jst_test_unknown(c, JST_STORAGE_READ_BYTES) &&
                jst_test_unknown(c, JST_STORAGE_WRITE_OPS));
    c = job("job_126", "slurm-126");
    assert_int_equal(jst_test_number(c, JST_CPU_SYSTEM_NS), 4000);
    assert_false(jst_test_has(c, JST_MEMORY_USED_BYTES) ||
                 jst_test_unknown(c, JST_MEMORY_USED_BYTES));
    assert_non_null(job("job_55", "slurm-55")); /* NODE_slurmstepd.scope */
    assert_non_null(job("1234[7].server", "pbs-1234[7].server"));
    assert_int_equal(tree_named(&s), 7); /* one waits for its number */
}

static void jobs_without_a_number(void **state)
{
    (void)state;
    assert_null(jst_source_batch_jobs.open());
    take();
    const jst_component *c = job("s5K1KKYAYG5D00", "slurm-777");
    assert_non_null(c);
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 0); /* io.stat is empty */
    assert_int_equal(tree_named(&s), 7);
    if (geteuid() == 0) { /* a user's process claims to be one */
        char path[512];
        tree_put_text("/proc/4999/cmdline", "slurmstepd: [1.0]");
        snprintf(path, sizeof path, "%s/proc/4999", tree);
        assert_int_equal(chown(path, 12345, 12345), 0);
        take();
        assert_int_equal(tree_named(&s), 7); /* it waits */
        assert_int_equal(chown(path, 0, 0), 0);
    }
    tree_put_text("/proc/4999/cmdline", "slurmstepd: [888.batch]");
    take();
    c = job("sEKNKTV3WPV500", "slurm-888");
    assert_non_null(c);
    assert_int_equal(jst_test_gained(c, JST_CPU_USER_NS), 0); /* it is older than the agent */
    tree_remove("/proc");
    take(); /* remembered */
    assert_non_null(job("sEKNKTV3WPV500", "slurm-888"));
    tree_put_text("/sys/fs/cgroup/system.slice/slurmstepd.scope/sNEVERF0VND000/cpu.stat",
                  "user_usec 5\n");
    for (unsigned i = 0; i < 4; i++) {
        assert_null(job("sNEVERF0VND000", ""));
        take();
    }
    assert_non_null(job("sNEVERF0VND000", "")); /* its job stays unknown */
}

#define JOB "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_123"

static void a_job_that_ends(void **state)
{
    (void)state;
    take();
    tree_break(JOB "/memory.events");
    take();
    assert_true(jst_test_unknown(job("job_123", "slurm-123"), JST_MEMORY_OOM_OPS));
    /* Its group is listed, but removed before it is read. */
    tree_remove(JOB "/cpu.stat");
    take();
    assert_null(job("job_123", "slurm-123"));
    /* It runs again, in a new group, and used more than when it was seen last. */
    tree_move(JOB, "/old");
    tree_put_text(JOB "/cpu.stat", "usage_usec 9000000\nuser_usec 9000000\nsystem_usec 0\n");
    take();
    const jst_component *c = job("job_123", "slurm-123");
    assert_int_equal(jst_test_gained(c, JST_CPU_USER_NS), 9000000000);
    assert_true(c->epoch);
    /* A new job counts from its first second. */
    tree_put_text("/sys/fs/cgroup/system.slice/slurmstepd.scope/job_900/cpu.stat",
                  "user_usec 7\nsystem_usec 3\n");
    take();
    assert_int_equal(jst_test_gained(job("job_900", "slurm-900"), JST_CPU_USER_NS), 7000);
    tree_remove("/sys");
    assert_string_equal(jst_source_batch_jobs.open(), "no control groups");
}

static void other_nodes_of_the_machine(void **state)
{
    (void)state;
    char host[65] = "", path[256];
    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, "/sys/fs/cgroup/system.slice/%s_slurmstepd.scope/job_8/cpu.stat",
             host);
    tree_put_text(path, "user_usec 1\n");
    take();
    assert_non_null(job("job_8", "slurm-8"));
    assert_null(job("job_55", "slurm-55")); /* node1's */
}

static void first_version(void **state)
{
    (void)state;
    assert_null(jst_source_batch_jobs.open());
    take();
    const jst_component *c = job("job_31", "slurm-31");
    assert_non_null(c);
    assert_int_equal(jst_test_number(c, JST_CPU_USER_NS), 2500000000);
    assert_int_equal(jst_test_number(c, JST_CPU_SYSTEM_NS), 500000000);
    assert_int_equal(jst_test_number(c, JST_CPU_QUOTA_NS), 123456);
    assert_int_equal(jst_test_number(c, JST_MEMORY_USED_BYTES), 350000);
    assert_false(jst_test_has(c, JST_MEMORY_LIMIT_BYTES));
    assert_int_equal(jst_test_number(c, JST_MEMORY_OOM_OPS), 4);
    c = job("job_32", "slurm-32");
    assert_int_equal(jst_test_number(c, JST_CPU_USER_NS), 17);
    assert_int_equal(jst_test_number(c, JST_MEMORY_LIMIT_BYTES), 1073741824);
    c = job("2404743.opbs", "pbs-2404743.opbs");
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 4096);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WRITE_BYTES), 8192);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WRITE_OPS), 2);
    assert_int_equal(jst_test_number(c, JST_TASKS_COUNT), 12);
    assert_int_equal(jst_test_number(c, JST_CPU_COUNT), 4);
    assert_non_null(job("job.19.22005.1345", "lsf-19"));
    assert_int_equal(tree_named(&s), 4);
}

static jst_numbers io(const char *text)
{
    jst_numbers n;
    memset(&n, 0, sizeof n);
    jst_cgroup_io(text, disk, &n);
    return n;
}

static void io_texts(void **state)
{
    (void)state;
    assert_int_equal(io("").is[JST_STORAGE_READ_BYTES], JST_NUMBER_KNOWN);
    jst_numbers n =
        io("8:0 rbytes=1 wbytes=2 rios=3 wios=4\n8:16 rbytes=10 wbytes=20 rios=30 wios=40\n");
    assert_int_equal(n.of[JST_STORAGE_READ_BYTES], 11);
    assert_int_equal(n.of[JST_STORAGE_WRITE_OPS], 44);
    /* md counts the bytes of its stripes itself, and its disks only the requests. */
    n = io("8:0 rbytes=0 wbytes=0 rios=5 wios=0\n253:0 rbytes=100 wbytes=0 rios=4 wios=0\n");
    assert_int_equal(n.of[JST_STORAGE_READ_BYTES], 100);
    assert_int_equal(n.of[JST_STORAGE_READ_OPS], 5);
    static const char *const bad[] = {"8:0 rbytes=1 wbytes=2 rios=3 wios=4\n8:16 rby",
                                      "8:0 rbytes=1",
                                      "8:0 rbytes=\n",
                                      "8:0 rbytes=1x\n",
                                      "rbytes=1\n",
                                      "8:0 rbytes=18446744073709551616\n",
                                      "8:0 rbytes=18446744073709551615\n8:1 rbytes=1\n",
                                      "8: 0 rbytes=4\n"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(io(bad[i]).is[JST_STORAGE_READ_BYTES], JST_NUMBER_UNKNOWN);
}

static void other_texts(void **state)
{
    (void)state;
    uint64_t ns, bytes;
    assert_int_equal(
        jst_cgroup_pressure("some avg10=0.00 total=5\nfull avg10=0 total=6\n", "full", &ns),
        JST_THERE);
    assert_int_equal(ns, 6000);
    assert_int_equal(jst_cgroup_pressure("some avg10=0.00 total=5\n", "full", &ns), JST_ABSENT);
    assert_int_equal(jst_cgroup_pressure("some avg10=0.00 total=5", "some", &ns), JST_ABSENT);
    assert_int_equal(jst_cgroup_pressure("some avg10=0.00\nfull total=6\n", "some", &ns), JST_BAD);
    assert_int_equal(jst_cgroup_pressure("some total=18446744073709551615\n", "some", &ns),
                     JST_BAD);
    assert_int_equal(jst_cgroup_limit("max\n", &bytes), JST_ABSENT);
    assert_int_equal(jst_cgroup_limit("9223372036854771712\n", &bytes), JST_ABSENT);
    assert_int_equal(jst_cgroup_limit("4096\n", &bytes), JST_THERE);
    assert_int_equal(jst_cgroup_limit("", &bytes), JST_BAD);
    jst_numbers n;
    memset(&n, 0, sizeof n);
    jst_cgroup_blkio("Total 0\n", disk, JST_STORAGE_READ_BYTES, JST_STORAGE_WRITE_BYTES, &n);
    assert_int_equal(n.is[JST_STORAGE_READ_BYTES], JST_NUMBER_NONE); /* not counted */
    jst_cgroup_blkio("8:0 Read 5\n8:0 Wri", disk, JST_STORAGE_READ_BYTES, JST_STORAGE_WRITE_BYTES,
                     &n);
    assert_int_equal(n.is[JST_STORAGE_WRITE_BYTES], JST_NUMBER_UNKNOWN);
    memset(&n, 0, sizeof n);
    jst_cgroup_cpu("user_usec 1\nsystem_usec 18446744073709551615\nthrottled_usec 5", &n);
    assert_int_equal(n.of[JST_CPU_USER_NS], 1000);
    assert_int_equal(n.is[JST_CPU_SYSTEM_NS], JST_NUMBER_UNKNOWN);
    assert_int_equal(n.is[JST_CPU_QUOTA_NS], JST_NUMBER_NONE); /* incomplete */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(io_texts),
        cmocka_unit_test(other_texts),
        cmocka_unit_test_setup_teardown(second_version, begin_second, end),
        cmocka_unit_test_setup_teardown(jobs_without_a_number, begin_second, end),
        cmocka_unit_test_setup_teardown(a_job_that_ends, begin_second, end),
        cmocka_unit_test_setup_teardown(other_nodes_of_the_machine, begin_second, end),
        cmocka_unit_test_setup_teardown(first_version, begin_first, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
