/* test_ceph_client.c: tests parsing of the tables of kernels since 5.8, written by
 * fs/ceph/debugfs.c. No kernel with CephFS was available.
 */
#include "tree.h"

#include "../src/sources/file_systems/ceph/ceph_client.c"

#define FSID "819c0896-cb94-432d-9df4-a0efcf46f896"
#define CLIENT ROOT "/" FSID ".client4112"

#define LATENCIES_HEAD                                                                             \
    "item          total       avg_lat(us)     min_lat(us)     max_lat(us)     stdev(us)\n"        \
    "-----------------------------------------------------------------------------------\n"
#define SIZES_HEAD                                                                                 \
    "item          total       avg_sz(bytes)   min_sz(bytes)   max_sz(bytes)  total_sz(bytes)\n"   \
    "----------------------------------------------------------------------------------------\n"
#define LATENCY                                                                                    \
    LATENCIES_HEAD                                                                                 \
    "read          12          250             100             900             30\n"               \
    "write         34          1250            800             9000            300\n"              \
    "metadata      56          80              20              700             11\n"               \
    "copyfrom      0           0               0               0               0\n"
#define SIZE                                                                                       \
    SIZES_HEAD                                                                                     \
    "read          12          131072          4096            131072          1572864\n"          \
    "write         34          4194304         4194304         4194304         142606336\n"        \
    "copyfrom      0           0               0               0               0\n"

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

static const jst_component *client(void)
{
    return jst_test_component(&s, JST_KIND_CEPH_MOUNT, "client4112", "");
}

static void numbers_are_right(bool times)
{
    assert_null(jst_source_ceph_client.open());
    assert_null(tree_sample(&jst_source_ceph_client, &s));
    const jst_component *c = client();
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_OPS), 12);
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 1572864);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WRITE_OPS), 34);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WRITE_BYTES), 142606336);
    assert_int_equal(jst_test_number(c, JST_STORAGE_META_OPS), 56);
    assert_int_equal(jst_test_has(c, JST_STORAGE_META_NS), times);
    assert_int_equal(jst_test_has(c, JST_STORAGE_WRITE_NS), times);
    if (times)
        assert_int_equal(jst_test_number(c, JST_STORAGE_META_NS), 4480000);
}

static void each_format(void **state)
{
    (void)state;
    tree_put_text(CLIENT "/metrics",
                  "item                               total\n"
                  "------------------------------------------\n"
                  "opened files  / total inodes       2 / 9\n\n" LATENCY "\n" SIZE "\n"
                  "item          total           miss            hit\n"
                  "-------------------------------------------------\n"
                  "d_lease       3               4               5\n");
    numbers_are_right(false);
    tree_remove(CLIENT "/metrics");
    tree_put_text(CLIENT "/metrics/latency", LATENCY);
    tree_put_text(CLIENT "/metrics/size", SIZE);
    numbers_are_right(false);
    tree_put_text(CLIENT "/metrics/counters", "item count size_bytes wait_ns\n"
                                              "read 12 1572864 3000000\n"
                                              "write 34 142606336 42500000\n"
                                              "metadata 56 0 4480000\n"
                                              "copyfrom 0 0 0\n");
    numbers_are_right(true);
    assert_false(jst_test_has(client(), JST_STORAGE_SYNC_OPS));
}

static void which_mount_it_is(void **state)
{
    (void)state;
    assert_non_null(strstr(jst_source_ceph_client.open(), "no CephFS mount"));
    tree_put_text("/proc/mounts", "10.0.0.1:6789:/ /scratch ceph rw 0 0\n");
    assert_non_null(strstr(jst_source_ceph_client.open(), "shows no counters"));
    tree_put_text(CLIENT "/metrics/latency", LATENCY);
    assert_null(tree_sample(&jst_source_ceph_client, &s));
    assert_string_equal(client()->names.source, "10.0.0.1:6789:/");
    assert_string_equal(client()->names.path, "/scratch");
    /* Of two mounts the one that names the cluster. */
    tree_put_text("/proc/mounts", "10.0.0.1:6789:/ /scratch ceph rw 0 0\n"
                                  "me@" FSID ".files=/home /home ceph rw 0 0\n");
    assert_null(tree_sample(&jst_source_ceph_client, &s));
    assert_string_equal(client()->names.path, "/home");
    tree_put_text("/proc/mounts", "a:/ /a ceph rw 0 0\nb:/ /b ceph rw 0 0\n");
    assert_null(tree_sample(&jst_source_ceph_client, &s));
    assert_string_equal(client()->names.source, FSID);
    assert_string_equal(client()->names.path, "");
}

static void torn_and_strange_texts(void **state)
{
    (void)state;
    static char text[10000];
    static const char *const strange[] = {
        LATENCIES_HEAD "read          12          250             100             900",
        "read 12 250 100 900 30\n",
        LATENCIES_HEAD "read -12 250 100 900 30\nwrite 99999999999999999999999 1 1 1 1\n",
        SIZES_HEAD "read 1 2 3 4\nmetadata 1 2 3 4 5\n",
        "item count size_bytes wait_ns\nread 1 2\n",
    };
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        tree_put_text(CLIENT "/metrics/latency", strange[i]);
        assert_null(tree_sample(&jst_source_ceph_client, &s));
        assert_true(client()->has == 0);
    }
    memset(text, 'x', sizeof text);
    tree_put(CLIENT "/metrics/latency", text, sizeof text);
    assert_non_null(strstr(tree_sample(&jst_source_ceph_client, &s), "cannot be read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_format, begin, end),
        cmocka_unit_test_setup_teardown(which_mount_it_is, begin, end),
        cmocka_unit_test_setup_teardown(torn_and_strange_texts, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
