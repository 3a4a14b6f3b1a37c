/* test_ship.c: tests parts of the shipper that need neither a spool nor a receiver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../connection/answer.h"
#include "../connection/pace.h"
#include "../spool/alive.h"
#include "../spool/spool.h"

static jst_answer answer;

static bool parse(const char *text)
{
    return jst_answer_parse(text, strlen(text), &answer);
}

static void an_answer(void **unused)
{
    (void)unused;
    assert_true(
        parse("jostle-ship 1\ntime 1790000000000000000\ncredit 4096\nafter 16.25\n"
              "file 1000 18446744073709551615 7 1\nfile 0 5 0 0 quota\nnews of a later version\n"));
    assert_int_equal(answer.time_ns, 1790000000000000000);
    assert_int_equal(answer.credit, 4096);
    assert_int_equal(answer.after_ns, 16250000000);
    assert_int_equal(answer.files, 2);
    assert_int_equal(answer.file[0].owner, 1000);
    assert_true(answer.file[0].id == UINT64_MAX && answer.file[0].have == 7);
    assert_true(answer.file[0].done && !answer.file[1].done);
    assert_string_equal(answer.file[0].why, "");
    assert_string_equal(answer.file[1].why, "quota");
    assert_true(parse("jostle-ship 1\nerror clock\nwhy it is \x1b[1m late\nfix chronyc\n"));
    assert_string_equal(answer.error, "clock");
    assert_string_equal(answer.why, "it is ?[1m late");
    assert_int_equal(answer.files, 0);
}

static void no_answer(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"",
                                        "\n",
                                        "<html>",
                                        "jostle-ship 2\n",
                                        "jostle-ship 1",
                                        "jostle-ship 1\nfile 1 2 3 1",
                                        "jostle-ship 1\nfile 1 2 3\n",
                                        "jostle-ship 1\nfile 1 2 3 2\n",
                                        "jostle-ship 1\nfile 4294967296 2 3 1\n",
                                        "jostle-ship 1\nfile 1 18446744073709551616 3 1\n",
                                        "jostle-ship 1\nfile 1 2  3 1\n",
                                        "jostle-ship 1\nfile -1 2 3 1\n",
                                        "jostle-ship 1\ncredit x\n",
                                        "jostle-ship 1\nafter 1.2.3\n",
                                        "jostle-ship 1\nafter 99999999\n"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(parse(texts[i]));
    static char many[1 << 18] = "jostle-ship 1\n";
    size_t n = strlen(many);
    for (unsigned i = 0; i <= JST_ANSWER_FILES; i++)
        n += (size_t)snprintf(many + n, sizeof many - n, "file 1 %u 3 1\n", i);
    assert_false(jst_answer_parse(many, n, &answer));
}

static void nodes_have_phases_of_their_own(void **unused)
{
    (void)unused;
    unsigned quarter[4] = {0};
    char name[32];
    for (unsigned i = 0; i < 1000; i++) {
        jst_pace p;
        snprintf(name, sizeof name, "node%u", i);
        jst_pace_begin(&p, 4 * JST_NS, name);
        int64_t due = jst_pace_due(&p, 1000 * JST_NS);
        assert_true(due > 1000 * JST_NS && due <= 1004 * JST_NS);
        assert_int_equal(jst_pace_due(&p, due), due + 4 * JST_NS);
        assert_int_equal(jst_pace_due(&p, due - 1), due);
        quarter[(due - 1000 * JST_NS - 1) / JST_NS]++;
        p.after_ns = 16 * JST_NS; /* the receiver requests longer ones */
        assert_int_equal(jst_pace_due(&p, jst_pace_due(&p, due)) - jst_pace_due(&p, due),
                         16 * JST_NS);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_in_range(quarter[i], 200, 300);
}

/* When a receiver was away for an hour, its nodes return over two minutes, not at once. */
static void nodes_come_back_spread(void **unused)
{
    (void)unused;
    unsigned early = 0;
    const jst_reply away = {.outcome = JST_AWAY};
    for (unsigned i = 0; i < 1000; i++) {
        jst_pace p;
        jst_pace_begin(&p, 4 * JST_NS, "node");
        int64_t now = 1000 * JST_NS, wait = jst_pace_after(&p, &away, &answer, now);
        assert_in_range(wait, JST_NS, 4 * JST_NS);
        now += 3600 * JST_NS;
        wait = jst_pace_after(&p, &away, &answer, now);
        assert_in_range(wait, JST_NS, 120 * JST_NS);
        early += wait < 12 * JST_NS;
    }
    assert_in_range(early, 50, 160);
}

static void what_the_receiver_asks_for(void **unused)
{
    (void)unused;
    jst_pace p;
    jst_pace_begin(&p, 4 * JST_NS, "node");
    jst_reply r = {.outcome = JST_BUSY, .retry_ns = 30 * JST_NS};
    assert_in_range(jst_pace_after(&p, &r, &answer, JST_NS), 30 * JST_NS, 31 * JST_NS);
    r.outcome = JST_REFUSED;
    assert_in_range(jst_pace_after(&p, &r, &answer, JST_NS), 60 * JST_NS, 75 * JST_NS);
    r.outcome = JST_BAD;
    uint32_t ranges = p.ranges;
    jst_pace_after(&p, &r, &answer, JST_NS);
    assert_int_equal(p.ranges, ranges / 2);
    r.outcome = JST_STORED;
    assert_true(parse("jostle-ship 1\ncredit 100000\nafter 2\n"));
    assert_int_equal(jst_pace_after(&p, &r, &answer, JST_NS), 0);
    assert_int_equal(p.credit, 100000);
    assert_int_equal(p.after_ns, 2 * JST_NS);
    assert_int_equal(p.away_ns, 0);
}

static void names(void **unused)
{
    (void)unused;
    enum jst_ship_kind kind;
    assert_true(jst_spool_is_name("slurm-1.2.3.jst", &kind) && kind == JST_KIND_PROFILE);
    assert_true(jst_spool_is_name("machine.01234567.8.jsm", &kind) && kind == JST_KIND_PROFILE);
    assert_true(jst_spool_is_name("a.0.jss", &kind) && kind == JST_KIND_SHORTS);
    assert_true(jst_spool_is_name("batch-c-1.2.jsb", &kind) && kind == JST_KIND_BATCH);
    static const char *const others[] = {"",        ".jst",   "a.jst2", "a/b.jst",
                                         "a b.jst", ".a.jst", "a.JST"};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(jst_spool_is_name(others[i], &kind));
}

static const char *set_line(jst_ship_settings *s, const char *text)
{
    char line[200];
    snprintf(line, sizeof line, "%s", text);
    return jst_ship_setting(line, s);
}

static void settings(void **unused)
{
    (void)unused;
    static jst_ship_settings s;
    assert_null(set_line(&s, "  interval=500ms  "));
    assert_int_equal(s.interval_ns, 500000000);
    assert_null(set_line(&s, "spool_quota = 1.5G"));
    assert_true(s.quota == 3ULL << 29);
    assert_null(set_line(&s, "munge = on"));
    static const char *const bad[] = {
        "interval = 0", "interval = 4 parsecs", "spool_quota = -1", "spool_quota = 10Q",
        "munge = yes",  "colour = red",         "receiver"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(set_line(&s, bad[i]));
    assert_non_null(jst_ship_check_settings(&s)); /* no receiver */
    set_line(&s, "spool = /tmp/jostle");
    set_line(&s, "receiver = http://far.example:8443");
    set_line(&s, "node = n1");
    assert_null(jst_ship_check_settings(&s));
    set_line(&s, "munge = off");
    set_line(&s, "token_file = /etc/jostle/token");
    assert_non_null(jst_ship_check_settings(&s)); /* a token without encryption */
    set_line(&s, "receiver = http://127.0.0.1.far.example");
    assert_non_null(jst_ship_check_settings(&s));
    set_line(&s, "receiver = http://localhost:x@far.example");
    assert_non_null(jst_ship_check_settings(&s));
    set_line(&s, "receiver = http://localhost:8643");
    assert_null(jst_ship_check_settings(&s));
    set_line(&s, "receiver = https://far.example:8443");
    assert_null(jst_ship_check_settings(&s));
    static const char *const names[] = {"node = ../n1", "node = -n1", "node = .n1",
                                        "node = jostle-mirror.json", "node = JOSTLE-mirror.json"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        set_line(&s, names[i]);
        assert_non_null(jst_ship_check_settings(&s));
    }
}

/* ---- whether writers run: in a simulated /proc ---- */

static char proc[64];

static void put(const char *path, const char *text)
{
    char whole[200];
    snprintf(whole, sizeof whole, "%s/%s", proc, path);
    for (char *slash = whole + strlen(proc); (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void put_process(const char *pid, const char *name, char state, unsigned threads,
                        unsigned start, const char *numbers)
{
    char path[64], text[300];
    snprintf(path, sizeof path, "%s/stat", pid);
    snprintf(text, sizeof text, "%s (%s) %c 1 1 1 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 %u 0 %u 1 1\n",
             pid, name, state, threads, start);
    put(path, text);
    snprintf(path, sizeof path, "%s/status", pid);
    snprintf(text, sizeof text, "Name:\tx\nNSpid:\t%s\nThreads:\t1\n", numbers);
    put(path, text);
}

static void writers(void **unused)
{
    (void)unused;
    static jst_head h;
    struct stat st;
    char path[128];
    snprintf(proc, sizeof proc, "/tmp/jostle-ship-test-XXXXXX");
    assert_non_null(mkdtemp(proc));
    jst_alive_proc = proc;
    put("sys/kernel/random/boot_id", "00112233-4455-6677-8899-aabbccddeeff\n");
    put("self/ns/pid", "");
    put_process("100", "a) R 1 (b", 'S', 1, 777, "100");
    put_process("101", "z", 'Z', 1, 777, "101");
    put_process("102", "threads", 'Z', 3, 777, "102");
    put_process("200", "inside", 'R', 1, 888, "200\t7");
    snprintf(path, sizeof path, "%s/self/ns/pid", proc);
    assert_int_equal(stat(path, &st), 0);
    memset(&h, 0, sizeof h);
    assert_int_equal(jst_alive(&h), JST_LIFE_GONE); /* another boot */
    for (unsigned i = 0; i < 16; i++)
        h.boot_id[i] = (uint8_t)(i * 0x11);
    h.pid = 100;
    h.proc_start = 777;
    assert_int_equal(jst_alive(&h), JST_LIFE_RUNS);
    h.pid_namespace = st.st_ino;
    assert_int_equal(jst_alive(&h), JST_LIFE_RUNS);
    h.proc_start = 778; /* its number was used again */
    assert_int_equal(jst_alive(&h), JST_LIFE_GONE);
    h.pid = 101;
    h.proc_start = 777;
    assert_int_equal(jst_alive(&h), JST_LIFE_GONE); /* a zombie */
    h.pid = 102;
    assert_int_equal(jst_alive(&h), JST_LIFE_RUNS); /* only its first thread has ended */
    h.pid = 0x7ffffff0;
    assert_int_equal(jst_alive(&h), JST_LIFE_GONE);
    h.pid = 7; /* in a container */
    h.proc_start = 888;
    h.pid_namespace = st.st_ino + 1;
    assert_int_equal(jst_alive(&h), JST_LIFE_RUNS);
    h.proc_start = 889;
    assert_int_equal(jst_alive(&h), JST_LIFE_UNKNOWN); /* not all processes are visible here */
    snprintf(path, sizeof path, "rm -r %s", proc);
    assert_int_equal(system(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer),
        cmocka_unit_test(no_answer),
        cmocka_unit_test(nodes_have_phases_of_their_own),
        cmocka_unit_test(nodes_come_back_spread),
        cmocka_unit_test(what_the_receiver_asks_for),
        cmocka_unit_test(names),
        cmocka_unit_test(settings),
        cmocka_unit_test(writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
