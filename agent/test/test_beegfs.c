/* test_beegfs.c: tests parsing of beegfs-ctl's output, and the source with substitutes for it. */
#include <signal.h>

#include "tree.h"

#include "../src/sources/file_systems/beegfs.c"
#include "../src/sources/file_systems/beegfs_text.h"

#define R JST_STORAGE_READ_BYTES
#define RO JST_STORAGE_READ_OPS
#define W JST_STORAGE_WRITE_BYTES
#define WO JST_STORAGE_WRITE_OPS
#define M JST_STORAGE_META_OPS
#define S JST_STORAGE_SYNC_OPS

static jst_sample s;

static int begin(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    tree_begin();
    count = 0;
    rest_until_ns = 0;
    deadline_ms = 5000;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        jst_child_no_pause(&children[i]);
    tree_end();
    return 0;
}

static void put_program(const char *path, const char *text)
{
    char where[512];
    tree_put_text(path, text);
    snprintf(where, sizeof where, "%s%s", tree, path);
    assert_int_equal(chmod(where, 0755), 0);
}

/* A beegfs-ctl that prints TREE/storage or TREE/meta, and then runs `last`. */
static void install(const char *last)
{
    char script[1024];
    snprintf(script, sizeof script,
             "#!/bin/sh\n[ \"$1 $3 $4 $5\" = '--clientstats --interval=0 --rwunit=B "
             "--maxlines=4096' ] || exit 9\n"
             "cat \"%s/${2#--nodetype=}\"\n%s\n",
             tree, last);
    put_program(CTL, script);
}

static const char *sample(void)
{
    return tree_sample(&jst_source_beegfs, &s);
}

static const jst_component *client(const char *name)
{
    return jst_test_component(&s, JST_KIND_BEEGFS_CLIENT, name, "");
}

static void only_the_management_host_asks(void **state)
{
    (void)state;
    install("");
    assert_non_null(strstr(jst_source_beegfs.open(), "not a BeeGFS management host"));
    put_program(MANAGEMENT, "");
    assert_null(jst_source_beegfs.open());
}

static void clients_of_both_kinds_of_server(void **state)
{
    (void)state;
    install("");
    tree_put_fixture("/storage", "beegfs/storage.txt");
    tree_put_fixture("/meta", "beegfs/meta.txt");
    for (int i = 0; i < 3; i++) {
        rest_until_ns = 0;
        assert_null(sample());
        assert_int_equal(s.count, 3);
        const jst_component *c = client("23.174.134.23");
        assert_string_equal(c->names.source, "beegfs_nodev");
        assert_int_equal(jst_test_number(c, R), 328770519);
        assert_int_equal(jst_test_number(c, RO), 22385);
        assert_int_equal(jst_test_number(c, W), 88080384);
        assert_int_equal(jst_test_number(c, WO), 21504);
        assert_int_equal(jst_test_number(c, S), 3);
        assert_int_equal(jst_test_number(c, M), 18068 + 56624);
        assert_false(jst_test_has(c, JST_STORAGE_READ_NS));
        c = client("10.0.0.7");
        assert_int_equal(jst_test_number(c, R), 0);
        assert_int_equal(jst_test_number(c, RO), 10);
        assert_int_equal(jst_test_number(c, M), 7); /* of an unknown name */
        assert_int_equal(jst_test_number(client("10.0.0.8"), M), 3);
    }
}

static void a_restarted_server_is_no_load(void **state)
{
    (void)state;
    install("");
    tree_put_text("/meta", "");
    tree_put_text("/storage", "10.0.0.7 9 [sum]  9000000 [B-rd]\n");
    assert_null(sample());
    rest_until_ns = 0;
    tree_put_text("/storage", "10.0.0.7 9 [sum]  8000000 [B-rd]\n");
    assert_null(sample());
    assert_true(jst_test_unknown(client("10.0.0.7"), R));
    assert_false(jst_test_unknown(client("10.0.0.7"), W));
    rest_until_ns = 0;
    tree_put_text("/storage", "10.0.0.7 9 [sum]  8000100 [B-rd]\n");
    assert_null(sample());
    assert_int_equal(jst_test_number(client("10.0.0.7"), R), 8000100);
}

static void failures_are_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *last, *storage;
    } bad[] = {
        {"exit 1", "10.0.0.7 9 [sum]  9 [B-rd]\n"},
        {"exec sleep 1000", "10.0.0.7 9 [sum]  9 [B-rd]\n"},
        {"kill -9 $$", "10.0.0.7 9 [sum]  9 [B-rd]\n"},
        {"", "10.0.0.7 9 [sum]  9 [B-r"},
        {"exec yes 10.0.0.7 9 '[sum]'", ""},
    };
    tree_put_text("/meta", "10.0.0.8 9 [sum]  9 [open]\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        end(NULL);
        begin(NULL);
        tree_put_text("/meta", "10.0.0.8 9 [sum]  9 [open]\n");
        tree_put_text("/storage", "10.0.0.7 9 [sum]  9 [B-rd]\n");
        install("");
        assert_null(sample());
        deadline_ms = 500;
        rest_until_ns = 0;
        install(bad[i].last);
        tree_put_text("/storage", bad[i].storage);
        assert_non_null(sample());
        assert_true(jst_test_unknown(client("10.0.0.7"), R));
        assert_true(jst_test_unknown(client("10.0.0.8"), M));
    }
}

static void digits_that_are_lost_are_unknown(void **state)
{
    (void)state;
    install("");
    tree_put_text("/meta", "");
    tree_put_text("/storage", "10.0.0.7 1.5e+06 [B-rd]  3.5 [ops-rd]  5 [ops-wr]\n");
    assert_null(sample());
    const jst_component *c = client("10.0.0.7");
    assert_true(jst_test_unknown(c, R) && jst_test_unknown(c, RO));
    assert_int_equal(jst_test_number(c, WO), 5);
}

static int received;
static jst_beegfs_client last;

static void take(void *to, const jst_beegfs_client *c)
{
    (void)to;
    last = *c;
    received++;
}

static void a_cut_text_loses_whole_lines_only(void **state)
{
    (void)state;
    static const char text[] = "10.0.0.7 12 [sum]  10 [ops-rd]  4096 [B-wr]\n"
                               "10.0.0.8 12 [sum]  11 [ops-rd]  8192 [B-wr]\n";
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        received = 0;
        assert_int_equal(jst_beegfs_clients(copy, n, take, NULL), !n || text[n - 1] == '\n');
        free(copy);
        assert_int_equal(received, n < sizeof text / 2 ? 0 : n < sizeof text - 1 ? 1 : 2);
        if (received)
            assert_int_equal(last.value[RO], 9 + received);
        if (n == sizeof text - 2)
            break; /* what follows is the NUL of C */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_management_host_asks, begin, end),
        cmocka_unit_test_setup_teardown(clients_of_both_kinds_of_server, begin, end),
        cmocka_unit_test_setup_teardown(a_restarted_server_is_no_load, begin, end),
        cmocka_unit_test_setup_teardown(failures_are_unknown, begin, end),
        cmocka_unit_test_setup_teardown(digits_that_are_lost_are_unknown, begin, end),
        cmocka_unit_test(a_cut_text_loses_whole_lines_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
