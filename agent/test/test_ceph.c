/* test_ceph.c: tests Ceph's admin sockets: recorded answers of real daemons (16.2), and servers of
 * our own that send too much, too little, nothing, or no JSON.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tree.h"

#include "../src/sources/file_systems/ceph/ceph.c"
#include "../src/sources/file_systems/ceph/ceph_text.c"

static jst_sample s;

/* ---- a daemon of our own ---- */

typedef struct answer {
    const char *question; /* a part of it */
    const char *text;
    size_t n;          /* 0: strlen(text) */
    uint32_t declared; /* as the length of the answer; 0: the true one */
} answer;

typedef struct served {
    int fd;
    pthread_t thread;
    answer answers[8];
    bool silent, over;
    unsigned asked;
} served;

static served servers[4];
static char texts[6][65536];
/* A socket orders writes and reads of a text; this shows it to the thread sanitizer, which does not
 * know it. */
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((format(printf, 3, 4))) static void write_text(char *to, size_t size,
                                                             const char *form, ...)
{
    va_list values;
    va_start(values, form);
    pthread_mutex_lock(&text_lock);
    vsnprintf(to, size, form, values);
    pthread_mutex_unlock(&text_lock);
    va_end(values);
}

static const char *fixture(unsigned at, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, JST_FIXTURES "/ceph/%s", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    texts[at][fread(texts[at], 1, sizeof texts[at] - 1, f)] = 0;
    fclose(f);
    return texts[at];
}

static void send_answer(int to, const answer *a)
{
    pthread_mutex_lock(&text_lock);
    size_t n = a->n ? a->n : strlen(a->text);
    char *text = malloc(n);
    memcpy(text, a->text, n);
    pthread_mutex_unlock(&text_lock);
    uint32_t length = a->declared ? a->declared : (uint32_t)n;
    unsigned char head[4] = {(unsigned char)(length >> 24), (unsigned char)(length >> 16),
                             (unsigned char)(length >> 8), (unsigned char)length};
    (void)!send(to, head, 2, MSG_NOSIGNAL); /* a header in two pieces */
    (void)!send(to, head + 2, 2, MSG_NOSIGNAL);
    for (size_t at = 0; at < n;) {
        ssize_t sent = send(to, text + at, n - at < 1000 ? n - at : 1000, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += (size_t)sent;
    }
    free(text);
}

static void *serve(void *with)
{
    served *me = with;
    while (!__atomic_load_n(&me->over, __ATOMIC_SEQ_CST)) {
        struct pollfd waits = {.fd = me->fd, .events = POLLIN};
        char question[256] = "";
        if (poll(&waits, 1, 10) <= 0 || __atomic_load_n(&me->silent, __ATOMIC_SEQ_CST))
            continue;
        int to = accept(me->fd, NULL, NULL);
        if (to < 0)
            continue;
        (void)!recv(to, question, sizeof question - 1, 0);
        me->asked++;
        for (unsigned i = 0; i < 8 && me->answers[i].question; i++)
            if (strstr(question, me->answers[i].question)) {
                send_answer(to, &me->answers[i]);
                break;
            }
        close(to);
    }
    return NULL;
}

static served *start(unsigned at, const char *file, const answer *answers)
{
    served *me = &servers[at];
    char path[512];
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    memset(me, 0, sizeof *me);
    tree_put_text("/run/ceph/any", ""); /* its folder */
    snprintf(path, sizeof path, "%s/run/ceph/%s", tree, file);
    unlink(path);
    assert_true(strlen(path) < sizeof where.sun_path);
    memcpy(where.sun_path, path, strlen(path) + 1);
    for (unsigned i = 0; answers[i].question; i++)
        me->answers[i] = answers[i];
    me->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(me->fd, (struct sockaddr *)&where, sizeof where), 0);
    assert_int_equal(listen(me->fd, 5), 0);
    assert_int_equal(pthread_create(&me->thread, NULL, serve, me), 0);
    return me;
}

static void stop(unsigned at)
{
    if (servers[at].fd <= 0)
        return;
    __atomic_store_n(&servers[at].over, true, __ATOMIC_SEQ_CST);
    pthread_join(servers[at].thread, NULL);
    close(servers[at].fd);
    servers[at].fd = 0;
}

static int begin(void **state)
{
    (void)state;
    tree_begin();
    jst_sample_free(&s);
    jst_cfg.slice_ns = NS / 4;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        stop(i);
    tree_end();
    find_daemons(); /* none is left */
    assert_int_equal(daemon_count, 0);
    return 0;
}

static const char *sample(void)
{
    jst_sample_begin(&s);
    const char *said = jst_source_ceph.sample(&s);
    jst_sample_end(&s);
    return said;
}

#define FSID "819c0896-cb94-432d-9df4-a0efcf46f896"
#define IS                                                                                         \
    {                                                                                              \
        "\"fsid\"", "{\"fsid\": \"" FSID "\"}\n", 0, 0                                             \
    }

static const jst_component *osd(const char *name)
{
    return jst_test_component(&s, JST_KIND_CEPH_OSD, name, "");
}

/* ---- answers of real daemons ---- */

static void real_answers(void **state)
{
    (void)state;
    assert_non_null(strstr(jst_source_ceph.open(), "no admin sockets"));
    start(0, "ceph-osd.0.asok", (answer[]){IS, {"\"osd\"", fixture(0, "osd.json"), 0, 0}, {0}});
    start(1, "ceph-mds.m.asok",
          (answer[]){IS,
                     {"decay_rate", fixture(1, "half_life.json"), 0, 0},
                     {"perf dump", fixture(2, "mds.json"), 0, 0},
                     {"session ls", fixture(3, "sessions.json"), 0, 0},
                     {0}});
    start(2, "ceph-client.node1.asok",
          (answer[]){IS,
                     {"status", fixture(4, "status.json"), 0, 0},
                     {"perf dump", fixture(5, "client.json"), 0, 0},
                     {0}});
    tree_put_text("/proc/mounts",
                  "storage.agfs:/ /run/jostle-lab/agfs/shared fuse.ceph-fuse rw 0 0\n");
    tree_put_text("/run/ceph/ceph-mon.a.asok", "");
    assert_null(jst_source_ceph.open());
    assert_null(sample());
    const jst_component *c = osd("osd.0");
    assert_string_equal(c->names.source, FSID);
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_BYTES), 12582912);
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_OPS), 96);
    assert_true(jst_test_number(c, JST_STORAGE_WRITE_BYTES) >= 12582912 + 4558);
    assert_true(jst_test_number(c, JST_STORAGE_WRITE_NS) > NS / 4);
    c = jst_test_component(&s, JST_KIND_CEPH_MDS, "mds.m", "");
    assert_true(jst_test_number(c, JST_STORAGE_META_OPS) > 100);
    assert_true(jst_test_number(c, JST_STORAGE_CACHED_COUNT) > 100);
    c = jst_test_component(&s, JST_KIND_CEPH_REQUEST, "mds.m create", "");
    assert_int_equal(jst_test_number(c, JST_STORAGE_META_OPS), 102);
    assert_null(tree_find(&s, JST_KIND_CEPH_REQUEST, "mds.m rename", ""));
    assert_non_null(tree_find(&s, JST_KIND_CEPH_CLIENT, "node1", ""));
    assert_non_null(tree_find(&s, JST_KIND_CEPH_CLIENT, "node2", ""));
    c = jst_test_component(&s, JST_KIND_CEPH_MOUNT, "client.node1", "");
    assert_string_equal(c->names.source, "storage.agfs:/");
    assert_string_equal(c->names.path, "/run/jostle-lab/agfs/shared");
    assert_true(jst_test_number(c, JST_STORAGE_WRITE_BYTES) >= (16 + 8) << 20);
    assert_true(jst_test_number(c, JST_STORAGE_READ_BYTES) >= 16 << 20);
    assert_int_equal(jst_test_number(c, JST_STORAGE_SYNC_OPS), 1);
}

/* ---- one that hangs, and one that restarts ---- */

static const char *counts_of(char to[256], uint64_t bytes, uint64_t ops)
{
    write_text(to, 256,
               "{\"osd\": {\"op_wip\": 3, \"op_in_bytes\": %llu, \"op_w\": %llu, \"op_rw\": 1, "
               "\"op_w_latency\": {\"avgcount\": 1, \"sum\": 0.5}, "
               "\"op_rw_latency\": {\"avgcount\": 1, \"sum\": 0.25}}}",
               (unsigned long long)bytes, (unsigned long long)ops);
    return to;
}

static void one_that_hangs_is_unknown_and_the_others_are_not(void **state)
{
    (void)state;
    char zero[256], one[256];
    served *hangs = start(0, "osd.0.asok", (answer[]){IS, {"\"osd\"", zero, 0, 0}, {0}});
    start(1, "osd.1.asok", (answer[]){IS, {"\"osd\"", one, 0, 0}, {0}});
    counts_of(zero, 1000, 10);
    counts_of(one, 1000, 10);
    assert_null(sample());
    assert_int_equal(jst_test_number(osd("osd.0"), JST_STORAGE_WRITE_OPS), 11);
    assert_int_equal(jst_test_number(osd("osd.0"), JST_STORAGE_WRITE_NS), 3 * NS / 4);
    assert_int_equal(jst_test_number(osd("osd.0"), JST_STORAGE_QUEUED), 3);
    __atomic_store_n(&hangs->silent, true, __ATOMIC_SEQ_CST);
    for (unsigned i = 1; i <= 3; i++) {
        counts_of(one, 1000 + i * 10, 10 + i);
        uint64_t before = jst_clock_ns(CLOCK_MONOTONIC);
        assert_non_null(strstr(sample(), "osd.0 of Ceph did not answer"));
        assert_true(jst_clock_ns(CLOCK_MONOTONIC) - before < jst_cfg.slice_ns / 2);
        assert_true(jst_test_unknown(osd("osd.0"), JST_STORAGE_WRITE_BYTES));
        assert_false(osd("osd.0")->levels != 0);
        assert_false(jst_test_unknown(osd("osd.1"), JST_STORAGE_WRITE_BYTES));
        assert_int_equal(jst_test_gained(osd("osd.1"), JST_STORAGE_WRITE_BYTES), i * 10);
    }
    __atomic_store_n(&hangs->silent, false, __ATOMIC_SEQ_CST);
    daemons[0]->again_ns = daemons[1]->again_ns = 0;
    counts_of(zero, 5000, 50);
    assert_null(sample());
    counts_of(zero, 5007, 51);
    assert_null(sample());
    assert_int_equal(jst_test_number(osd("osd.0"), JST_STORAGE_WRITE_BYTES), 5007);
    assert_int_equal(jst_test_gained(osd("osd.0"), JST_STORAGE_WRITE_BYTES), 7);
}

static void a_socket_with_other_rights_is_the_same_daemon(void **state)
{
    (void)state;
    char text[256], path[128];
    start(0, "osd.0.asok", (answer[]){IS, {"\"osd\"", text, 0, 0}, {0}});
    counts_of(text, 1000, 10);
    assert_null(sample());
    snprintf(path, sizeof path, "%s/run/ceph/osd.0.asok", tree);
    usleep(20000); /* a tick of the file system's clock */
    assert_int_equal(chmod(path, 0700), 0);
    counts_of(text, 1007, 10);
    assert_null(sample());
    assert_int_equal(jst_test_gained(osd("osd.0"), JST_STORAGE_WRITE_BYTES), 7);
    assert_false(osd("osd.0")->epoch);
}

static void a_restarted_daemon_is_no_negative_number(void **state)
{
    (void)state;
    char text[256];
    start(0, "osd.0.asok", (answer[]){IS, {"\"osd\"", text, 0, 0}, {0}});
    counts_of(text, 1000, 10);
    assert_null(sample());
    stop(0);
    assert_null(sample()); /* no process listens: it is gone, which is no error */
    assert_null(tree_find(&s, JST_KIND_CEPH_OSD, "osd.0", ""));
    start(0, "osd.0.asok", (answer[]){IS, {"\"osd\"", text, 0, 0}, {0}});
    counts_of(text, 5000, 10); /* more than before, and all of it new */
    assert_null(sample());
    assert_int_equal(jst_test_gained(osd("osd.0"), JST_STORAGE_WRITE_BYTES), 5000);
    assert_true(osd("osd.0")->epoch);
}

/* ---- hostile answers ---- */

static void answers_that_are_wrong(void **state)
{
    (void)state;
    static char deep[4000], good[256];
    memset(deep, '[', sizeof deep);
    counts_of(good, 1, 1);
    const answer bad[] = {
        {"\"osd\"", good, 0, 4u << 20},   /* less than announced */
        {"\"osd\"", good, 0, 0xffffffff}, /* more than is read */
        {"\"osd\"", good, 0, 5},          /* more than announced */
        {"\"osd\"", "ERROR: (22) Invalid argument\n", 0, 0},
        {"\"osd\"", "{\"osd\": {\"op_in_bytes\": 1}", 0, 0},
        {"\"osd\"", "{\"osd\": {\"op_in_bytes\" 1}}", 0, 0},
        {"\"osd\"", "{\"osd\": {\"op_in_bytes\": 1}]", 0, 0},
        {"\"osd\"", "{\"osd\": {}} {}", 0, 0},
        {"\"osd\"", "\0\0\0\0", 4, 0},
        {"\"osd\"", deep, sizeof deep, 0},
        {"nothing", "", 0, 0}, /* closed without an answer */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        end(NULL);
        begin(NULL);
        start(0, "osd.0.asok", (answer[]){IS, bad[i], {0}});
        assert_non_null(strstr(sample(), "osd.0 of Ceph gave an unknown answer"));
        assert_int_equal(s.count, 0);
    }
}

static void numbers_that_are_none_are_unknown(void **state)
{
    (void)state;
    char text[256];
    static const char *const bad[] = {"nan",
                                      "-1",
                                      "1e400",
                                      "18446744073709551616",
                                      "\"7\"",
                                      "null",
                                      "99999999999999999999999999.9",
                                      "0x10",
                                      "inf",
                                      "-nan",
                                      "{}"};
    start(0, "osd.0.asok", (answer[]){IS, {"\"osd\"", text, 0, 0}, {0}});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool said = bad[i][0] != '"' && bad[i][0] != '{';
        jst_sample_free(&s);
        snprintf(text, sizeof text,
                 "{\"osd\": {\"op_r\": 5, \"op_out_bytes\": %s, \"op_r_latency\": {\"sum\": %s}}}",
                 bad[i], bad[i]);
        assert_null(sample());
        assert_int_equal(jst_test_number(osd("osd.0"), JST_STORAGE_READ_OPS), 5);
        assert_int_equal(jst_test_unknown(osd("osd.0"), JST_STORAGE_READ_BYTES), said);
        assert_int_equal(jst_test_unknown(osd("osd.0"), JST_STORAGE_READ_NS), said);
        assert_false(jst_test_has(osd("osd.0"), JST_STORAGE_WRITE_BYTES));
    }
    uint64_t ns;
    assert_true(jst_ceph_ns("12345678.123456789", &ns) && ns == UINT64_C(12345678123456789));
    assert_true(jst_ceph_ns("9.5e-05", &ns) && ns >= 94999 && ns <= 95000);
    assert_true(jst_ceph_ns("3", &ns) && ns == 3 * NS);
    assert_false(jst_ceph_ns("", &ns) || jst_ceph_ns("1.5x", &ns) || jst_ceph_ns("e", &ns));
}

/* ---- requests of clients ---- */

static double random_part(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

/* A server's load by its own rule, at the true times, compared with the result from its rounded
 * values. */
static double counted_share(unsigned a_second, unsigned seconds, unsigned quiet)
{
    double load = 0, at_most = 1;
    uint32_t chance = 7;
    uint64_t counted = 0;
    for (unsigned t = 0; t < seconds + quiet; t++) {
        double decay = left_after(1 / 60.0);
        load *= decay;
        for (unsigned i = 0; t < seconds && i < a_second; i++)
            load += left_after(random_part(&chance) / 60.0);
        counted += (uint64_t)jst_ceph_requests(&at_most, (uint64_t)load, 1, 60);
    }
    return (double)counted / (a_second ? a_second * seconds : 1);
}

static void loads_become_requests(void **state)
{
    (void)state;
    assert_true(counted_share(0, 100, 0) == 0);
    const unsigned rates[] = {1, 7, 100, 3000};
    for (unsigned i = 0; i < 4; i++) {
        double share = counted_share(rates[i], 120, 300);
        assert_true(share > 0.97 && share < 1.02);
    }
    /* Decay is no request, wherever it begins. */
    for (double begin = 0.3; begin < 3000; begin *= 1.37) {
        double load = begin, at_most = (double)(uint64_t)load + 1;
        for (unsigned t = 0; t < 600; t++) {
            load *= left_after(1 / 60.0);
            assert_true(jst_ceph_requests(&at_most, (uint64_t)load, 1, 60) == 0);
        }
    }
    double at_most = 5;
    assert_true(jst_ceph_requests(&at_most, UINT64_MAX, 1, 60) == 0);
}

static void clients_add_up_to_what_the_server_counted(void **state)
{
    (void)state;
    char counts[256], sessions[1024];
    const char *half = "{\"mds_request_load_average_decay_rate\": \"60.000000\"}";
    const char *form =
        "[{\"id\": 7, \"request_load_avg\": %d, \"client_metadata\": {\"hostname\": \"a\"}},"
        " {\"id\": 8, \"request_load_avg\": %d, \"client_metadata\": {\"hostname\": \"b\"}},"
        " {\"id\": 9, \"request_load_avg\": 3, \"client_metadata\": {\"hostname\": \"b\"}},"
        " {\"id\": 10, \"state\": \"closed\"}, {\"nothing\": [1, {\"id\": 3}]}]";
    const char *all = "{\"mds_server\": {\"handle_client_request\": %d, \"req_create_latency\": "
                      "{\"avgcount\": %d, \"sum\": 1.5}}}";
    start(0, "mds.m.asok",
          (answer[]){IS,
                     {"decay_rate", half, 0, 0},
                     {"perf dump", counts, 0, 0},
                     {"session ls", sessions, 0, 0},
                     {0}});
    write_text(counts, sizeof counts, all, 1000, 0);
    write_text(sessions, sizeof sessions, form, 10, 20);
    assert_null(sample());
    assert_null(tree_find(&s, JST_KIND_CEPH_REQUEST, "mds.m create", ""));
    usleep(20000); /* the list may be read again */
    write_text(counts, sizeof counts, all, 1400, 12);
    write_text(sessions, sizeof sessions, form, 110, 315);
    assert_null(sample());
    const jst_component *a = jst_test_component(&s, JST_KIND_CEPH_CLIENT, "a", "");
    const jst_component *b = jst_test_component(&s, JST_KIND_CEPH_CLIENT, "b", "");
    uint64_t of_a = jst_test_gained(a, JST_STORAGE_META_OPS);
    uint64_t of_b = jst_test_gained(b, JST_STORAGE_META_OPS);
    assert_true(of_a >= 99 && of_a <= 103);
    assert_true(of_a + of_b >= 399 && of_a + of_b <= 400);
    const jst_component *c = jst_test_component(&s, JST_KIND_CEPH_REQUEST, "mds.m create", "");
    assert_int_equal(jst_test_gained(c, JST_STORAGE_META_OPS), 12); /* the first are not lost */
    /* Where the server counted none, a load that seems to grow is none. */
    usleep(20000);
    write_text(sessions, sizeof sessions, form, 115, 330);
    assert_null(sample());
    assert_int_equal(jst_test_gained(a, JST_STORAGE_META_OPS), of_a);
    assert_int_equal(jst_test_gained(b, JST_STORAGE_META_OPS), of_b);
    __atomic_store_n(&servers[0].silent, true, __ATOMIC_SEQ_CST);
    usleep(20000);
    assert_non_null(sample());
    assert_true(jst_test_unknown(a, JST_STORAGE_META_OPS));
    assert_true(jst_test_unknown(c, JST_STORAGE_META_OPS));
    assert_true(jst_test_unknown(jst_test_component(&s, JST_KIND_CEPH_MDS, "mds.m", ""),
                                 JST_STORAGE_META_OPS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(real_answers, begin, end),
        cmocka_unit_test_setup_teardown(one_that_hangs_is_unknown_and_the_others_are_not, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_socket_with_other_rights_is_the_same_daemon, begin, end),
        cmocka_unit_test_setup_teardown(a_restarted_daemon_is_no_negative_number, begin, end),
        cmocka_unit_test_setup_teardown(answers_that_are_wrong, begin, end),
        cmocka_unit_test_setup_teardown(numbers_that_are_none_are_unknown, begin, end),
        cmocka_unit_test_setup_teardown(loads_become_requests, begin, end),
        cmocka_unit_test_setup_teardown(clients_add_up_to_what_the_server_counted, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
