/* test_lustre_client.c: tests mounts and requests of a Lustre client in folders like the
 * kernel's. */
#include "tree.h"

#include "../src/sources/file_systems/lustre.c"
#include "../src/sources/file_systems/lustre_client.c"

#define DEBUG "/sys/kernel/debug/lustre"
#define PROC_MOUNTS "/proc/mounts"
#define SOURCE "10.0.0.1@tcp:/scratch"

static jst_sample s;

static int begin(void **state)
{
    (void)state;
    tree_begin();
    return 0;
}

static int end(void **state)
{
    (void)state;
    tree_end();
    return 0;
}

static const char *sample(void)
{
    return tree_sample(&jst_source_lustre_client, &s);
}

static const jst_component *mount_of(void)
{
    return jst_test_component(&s, JST_KIND_LUSTRE_MOUNT, "scratch", "");
}

static void nothing_is_said_without_lustre(void **state)
{
    (void)state;
    assert_string_equal(jst_source_lustre_client.open(), "no Lustre mount");
    assert_null(sample());
    assert_int_equal(s.count, 0);
}

static void put_mount(const char *root, const char *instance, const char *fixture)
{
    char path[256];
    snprintf(path, sizeof path, "%s/llite/scratch-%s/stats", root, instance);
    tree_put_fixture(path, fixture);
    snprintf(path, sizeof path, "%s/osc/scratch-OST0003-osc-%s/stats", root, instance);
    tree_put_fixture(path, "lustre/osc-2.12.txt");
    snprintf(path, sizeof path, "%s/mdc/scratch-MDT0000-mdc-%s/stats", root, instance);
    tree_put_fixture(path, "lustre/mdc-2.12.txt");
}

static void check_one_mount(void)
{
    assert_null(jst_source_lustre_client.open());
    assert_null(sample());
    assert_int_equal(s.count, 3);
    const jst_component *c = jst_test_component(&s, JST_KIND_LUSTRE_MOUNT, "scratch", "");
    assert_string_equal(c->names.source, SOURCE);
    assert_string_equal(c->names.path, "/lustre/my scratch");
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 100663296);
    c = jst_test_component(&s, JST_KIND_LUSTRE_OSC, "scratch-OST0003", "");
    assert_string_equal(c->names.source, SOURCE);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WAIT_OPS), 18215581);
    c = jst_test_component(&s, JST_KIND_LUSTRE_MDC, "scratch-MDT0000", "");
    assert_int_equal(jst_test_number(c, JST_STORAGE_META_OPS), 1812742);
}

static void statistics_lie_in_one_of_three_places(void **state)
{
    (void)state;
    static const char *places[] = {"/proc/fs/lustre", "/sys/fs/lustre", DEBUG};
    tree_put_text(PROC_MOUNTS, "proc /proc proc rw 0 0\n"
                               "/dev/sdb /mnt/ost lustre ro,svname=scratch-OST0001 0 0\n" SOURCE
                               " /lustre/my\\040scratch lustre rw,flock 0 0\n" SOURCE
                               " /bind/of/it lustre rw,flock 0 0\n");
    for (int i = 0; i < 3; i++) {
        if (i)
            tree_remove(places[i - 1]);
        put_mount(places[i], "ffff8800b8e5a000", "lustre/llite-2.10.txt");
        check_one_mount();
    }
    /* 2.12 has empty folders of the same names in /sys/fs/lustre, and other files with them */
    tree_put_text("/sys/fs/lustre/llite/scratch-ffff8800b8e5a000/uuid", "x\n");
    tree_put_text(DEBUG "/osc/num_refs", "1\n");
    check_one_mount();
}

/* Lines of any length and number are before and after the searched one. */
static void mounts_among_many(void **state)
{
    (void)state;
    static char mounts[100000];
    put_mount(DEBUG, "ffff8800b8e5a000", "lustre/llite-2.10.txt");
    for (int length = 1; length < 9000; length += 61) {
        int n = sprintf(mounts, "%0*d /long/one lustre rw 0 0\n", length, 1);
        n += sprintf(mounts + n, SOURCE " /lustre/my\\040scratch lustre rw 0 0\n");
        for (int i = 0; i < 500; i++)
            n += sprintf(mounts + n,
                         "overlay /var/lib/container/%d/merged overlay rw,lowerdir=x 0 0\n", i);
        tree_put(PROC_MOUNTS, mounts, (size_t)n);
        check_one_mount();
    }
}

static void two_mounts_of_a_file_system_are_two(void **state)
{
    (void)state;
    tree_put_text(PROC_MOUNTS, SOURCE " /a lustre rw 0 0\n" SOURCE "/sub /b lustre rw 0 0\n");
    put_mount(DEBUG, "ffff8800b8e5a000", "lustre/llite-2.10.txt");
    put_mount(DEBUG, "ffff9900c9f6b000", "lustre/llite-2.14.txt");
    assert_null(sample());
    assert_int_equal(s.count, 6);
    const jst_component *c =
        jst_test_component(&s, JST_KIND_LUSTRE_MOUNT, "scratch-ffff9900c9f6b000", "");
    assert_string_equal(c->names.path, ""); /* which of the two it is cannot be known */
    assert_string_equal(c->names.source, SOURCE);
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 419430400);
    assert_non_null(
        jst_test_component(&s, JST_KIND_LUSTRE_OSC, "scratch-OST0003-osc-ffff9900c9f6b000", ""));
}

static void an_mdts_own_requests_are_not_a_clients(void **state)
{
    (void)state;
    put_mount(DEBUG, "ffff8800b8e5a000", "lustre/llite-2.10.txt");
    tree_put_fixture(DEBUG "/osc/scratch-OST0000-osc-MDT0000/stats", "lustre/osc-2.12.txt");
    assert_null(sample());
    assert_int_equal(s.count, 3);
    /* without /proc/mounts the source is the name of the file system */
    assert_string_equal(jst_test_component(&s, JST_KIND_LUSTRE_MOUNT, "scratch", "")->names.source,
                        "scratch");
}

static void start_time_is_passed_on(void **state)
{
    (void)state;
    const char *path = DEBUG "/llite/scratch-ffff8800b8e5a000/stats";
    tree_put_text(path, "start_time 379104.213451005 secs.nsecs\n"
                        "read_bytes 1 samples [bytes] 1 1 1 1\n");
    assert_null(sample());
    assert_true(mount_of()->has_start);
    assert_int_equal(mount_of()->start, 379104);
    tree_put_text(path, "read_bytes 3 samples [bytes] 1 1 3 1\n"); /* 2.16, its header off */
    assert_null(sample());
    assert_false(mount_of()->has_start);
}

static void a_torn_file_is_unknown_and_said(void **state)
{
    (void)state;
    const char *path = DEBUG "/llite/scratch-ffff8800b8e5a000/stats";
    tree_put_text(path, "read_bytes 1 samples [bytes] 1 1 104857");
    assert_non_null(sample());
    assert_true(jst_test_unknown(mount_of(), JST_STORAGE_READ_BYTES));
    static char big[2 << 20];
    memset(big, '\n', sizeof big); /* more than is read: the rest may have anything */
    tree_put(path, big, sizeof big);
    assert_non_null(sample());
    assert_true(jst_test_unknown(mount_of(), JST_STORAGE_READ_BYTES));
    memset(big, 'x', 5000); /* a line that is none */
    tree_put(path, big, 5000);
    assert_non_null(sample());
}

static void what_only_root_may_read_is_said(void **state)
{
    (void)state;
    put_mount(DEBUG, "ffff8800b8e5a000", "lustre/llite-2.10.txt");
    tree_run("chmod 755 '%s'", tree);
    char debug[128];
    snprintf(debug, sizeof debug, "%s/sys/kernel/debug", tree);
    tree_run("chmod 700 '%s'", debug);
    if (geteuid() != 0 || seteuid(65534))
        skip();
    const char *without = jst_source_lustre_client.open();
    seteuid(0);
    assert_string_equal(without, "no Lustre mount"); /* any machine has such a folder */
    tree_put_text("/sys/fs/lustre/version", "2.15.5\n");
    assert_int_equal(seteuid(65534), 0);
    const char *with = jst_source_lustre_client.open();
    seteuid(0);
    assert_string_equal(with, JST_LUSTRE_ROOT_ONLY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_said_without_lustre, begin, end),
        cmocka_unit_test_setup_teardown(statistics_lie_in_one_of_three_places, begin, end),
        cmocka_unit_test_setup_teardown(mounts_among_many, begin, end),
        cmocka_unit_test_setup_teardown(two_mounts_of_a_file_system_are_two, begin, end),
        cmocka_unit_test_setup_teardown(an_mdts_own_requests_are_not_a_clients, begin, end),
        cmocka_unit_test_setup_teardown(start_time_is_passed_on, begin, end),
        cmocka_unit_test_setup_teardown(a_torn_file_is_unknown_and_said, begin, end),
        cmocka_unit_test_setup_teardown(what_only_root_may_read_is_said, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
