/* test_lustre_server.c: tests the targets of a Lustre server in folders like the kernel's. */
#include "tree.h"

#include "../src/sources/file_systems/lustre.c"
#include "../src/sources/file_systems/lustre_server.c"

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

static void targets_of_both_kinds(void **state)
{
    (void)state;
    assert_string_equal(jst_source_lustre_server.open(), "no Lustre target");
    tree_put_fixture("/proc/fs/lustre/mdt/my-fs-MDT0000/md_stats", "lustre/mdt-2.10.txt");
    assert_null(jst_source_lustre_server.open());
    tree_put_fixture("/proc/fs/lustre/obdfilter/scratch-OST0003/stats", "lustre/ost-2.15.txt");
    tree_put_fixture("/proc/fs/lustre/obdfilter/scratch-OST0004/stats", "lustre/ost-2.10.txt");
    tree_put_text("/proc/fs/lustre/obdfilter/num_refs", "1\n");
    tree_put_text("/proc/fs/lustre/obdfilter/odd/stats", "read_bytes 1 samples [bytes] 1 1 1\n");
    assert_null(tree_sample(&jst_source_lustre_server, &s));
    assert_int_equal(s.count, 3);
    const jst_component *c = jst_test_component(&s, JST_KIND_LUSTRE_OST, "scratch-OST0003", "");
    assert_string_equal(c->names.source, "scratch");
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_NS), 500000000);
    assert_false(jst_test_has(c, JST_STORAGE_WAIT_OPS));
    c = jst_test_component(&s, JST_KIND_LUSTRE_MDT, "my-fs-MDT0000", "");
    assert_string_equal(c->names.source, "my-fs");
    assert_int_equal(jst_test_number(c, JST_STORAGE_META_OPS), 4017);
    assert_false(jst_test_has(c, JST_STORAGE_META_NS));
}

static void a_torn_target_harms_no_other(void **state)
{
    (void)state;
    tree_put_text("/proc/fs/lustre/obdfilter/scratch-OST0003/stats",
                  "read_bytes 50 samples [bytes] 4096 1048576 524288");
    tree_put_fixture("/proc/fs/lustre/obdfilter/scratch-OST0004/stats", "lustre/ost-2.10.txt");
    assert_non_null(tree_sample(&jst_source_lustre_server, &s));
    const jst_component *c = jst_test_component(&s, JST_KIND_LUSTRE_OST, "scratch-OST0003", "");
    assert_true(jst_test_unknown(c, JST_STORAGE_READ_BYTES));
    c = jst_test_component(&s, JST_KIND_LUSTRE_OST, "scratch-OST0004", "");
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 52428800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(targets_of_both_kinds, begin, end),
        cmocka_unit_test_setup_teardown(a_torn_target_harms_no_other, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
