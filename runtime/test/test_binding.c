/* test_binding.c: tests the cores and nodes on which a process may run, on a simulated machine. */
#include <sched.h>
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

#define JST_NODES "nodes/"
#define JST_CPUS_ONLINE "online"
#define JST_GROUPS "groups"
#define JST_OWN_GROUPS "own"
#include "../src/modules/os_binding.c"

/* The runtime around os_binding.c, as far as it is needed. */
jst_area jst_a;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

static unsigned gpus;

unsigned jst_gpus_used(void)
{
    return gpus;
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void put_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Two nodes of four cores, each with two threads, and a node of memory alone. */
static int begin(void **state)
{
    char folder[] = "/tmp/jostle-binding-XXXXXX";
    *state = strdup(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    put_folder("nodes");
    put_file("nodes/online", "0-1,4\n");
    put_folder("nodes/node0");
    put_file("nodes/node0/cpulist", "0-3,8-11\n");
    put_folder("nodes/node1");
    put_file("nodes/node1/cpulist", "4-7,12-15\n");
    put_folder("nodes/node4");
    put_file("nodes/node4/cpulist", "\n");
    put_file("online", "0-15\n");
    memset(&jst_a, 0, sizeof jst_a);
    jst_binding_begin();
    mapped = false;
    return 0;
}

static int end(void **state)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
    free(*state);
    return chdir("/") || system(command);
}

static jst_cpus cpus_of(const char *text)
{
    jst_cpus cpus;
    read_list(text, &cpus);
    return cpus;
}

static const jst_binding *say(const char *text)
{
    jst_cpus now = cpus_of(text);
    jst_binding_say(&now);
    const jst_binding *b = jst_a.head.bindings;
    return &b[b[1].number > b[0].number];
}

static void cores_and_their_nodes_are_said(void **state)
{
    (void)state;
    const jst_binding *b = say("4-5,12-13");
    assert_int_equal(b->number, 1);
    assert_string_equal(b->allowed_cpus, "4-5,12-13");
    assert_string_equal(b->allowed_nodes, "1");
    assert_string_equal(b->group_cpus, "0-15");
    assert_string_equal(b->group_nodes, "0-1");
    assert_int_equal(say("4-5,12-13")->number, 1); /* nothing has changed */
    b = say("3-4");
    assert_int_equal(b->number, 2);
    assert_string_equal(b->allowed_cpus, "3-4");
    assert_string_equal(b->allowed_nodes, "0-1");
    assert_string_equal(jst_a.head.bindings[0].allowed_cpus, "4-5,12-13");
    b = say("0");
    assert_int_equal(b->number, 3);
    assert_string_equal(b->allowed_cpus, "0"); /* nothing is left of the longer text */
    assert_ptr_equal(b, &jst_a.head.bindings[0]);
}

static void a_machine_that_says_nothing_has_no_nodes(void **state)
{
    (void)state;
    remove("nodes/online");
    remove("online");
    const jst_binding *b = say("0-3");
    assert_string_equal(b->allowed_cpus, "0-3");
    assert_string_equal(b->allowed_nodes, "");
    assert_string_equal(b->group_cpus, "");
}

static void the_nearest_group_that_has_cores_counts(void **state)
{
    (void)state;
    put_file("own", "0::/job_7/step_0/task\n");
    put_folder("groups");
    put_file("groups/cpuset.cpus.effective", "0-15\n");
    put_folder("groups/job_7");
    put_file("groups/job_7/cpuset.cpus.effective", "0-7\n");
    const jst_binding *b = say("1");
    assert_string_equal(b->group_cpus, "0-7");
    assert_string_equal(b->group_nodes, "0-1");
    put_file("own", "0::/\n");
    assert_string_equal(say("2")->group_cpus, "0-15");
}

static void groups_of_the_first_version_are_known(void **state)
{
    (void)state;
    put_file("own", "9:cpu,cpuacct:/elsewhere\n4:cpuset:/job_7\n1:name=systemd:/x\n0::/y\n");
    put_folder("groups");
    put_folder("groups/cpuset");
    put_folder("groups/cpuset/job_7");
    put_file("groups/cpuset/job_7/cpuset.effective_cpus", "2-3\n");
    const jst_binding *b = say("2");
    assert_string_equal(b->group_cpus, "2-3");
    assert_string_equal(b->group_nodes, "0");
}

static void a_list_without_room_ends_with_dots(void **state)
{
    (void)state;
    jst_cpus every_second;
    memset(every_second.words, 0x55, sizeof every_second.words);
    jst_binding_say(&every_second);
    const char *text = jst_a.head.bindings[0].allowed_cpus;
    assert_true(strlen(text) < sizeof jst_a.head.bindings[0].allowed_cpus);
    assert_true(strlen(text) > 240);
    assert_int_equal(strncmp(text, "0,2,4,", 6), 0);
    assert_string_equal(text + strlen(text) - 4, ",...");
    assert_string_equal(jst_a.head.bindings[0].allowed_nodes, "0-1");
}

static void odd_lists_do_no_harm(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "x", "-", "5-", "7-2", "3,,4", "99999999999999999999"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        cpus_of(texts[i]);
    jst_cpus cpus = cpus_of("8190-99999,1");
    char list[32];
    put_list(list, list + sizeof list, &cpus);
    assert_string_equal(list, "1,8190-8191");
}

/* This thread, on a core of its own; the other node has a core that does not exist. */
static void where_threads_ran_is_counted_with_a_gpu(void **state)
{
    (void)state;
    cpu_set_t before, one;
    int core = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    while (!CPU_ISSET(core, &before))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    char own[16], both[32];
    snprintf(own, sizeof own, "%d\n", core);
    snprintf(both, sizeof both, "%d,8000", core);
    put_file("nodes/node0/cpulist", "8000\n");
    put_file("nodes/node1/cpulist", own);
    uint32_t *samples = jst_a.head.node_samples, me = (uint32_t)jst_gettid();
    say(both);
    gpus = 0;
    jst_binding_ran(me);
    assert_int_equal(samples[1], 0);
    gpus = 1;
    jst_binding_ran(me);
    jst_binding_ran(me);
    assert_int_equal(samples[0], 0);
    assert_int_equal(samples[1], 2);
    jst_binding_ran(999999999); /* it has gone */
    say(own);                   /* a single node: nothing is read */
    jst_binding_ran(me);
    assert_int_equal(samples[1], 2);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cores_and_their_nodes_are_said, begin, end),
        cmocka_unit_test_setup_teardown(a_machine_that_says_nothing_has_no_nodes, begin, end),
        cmocka_unit_test_setup_teardown(the_nearest_group_that_has_cores_counts, begin, end),
        cmocka_unit_test_setup_teardown(groups_of_the_first_version_are_known, begin, end),
        cmocka_unit_test_setup_teardown(a_list_without_room_ends_with_dots, begin, end),
        cmocka_unit_test_setup_teardown(where_threads_ran_is_counted_with_a_gpu, begin, end),
        cmocka_unit_test(odd_lists_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
