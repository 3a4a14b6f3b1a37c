/* test_nvidia.c: tests GPUs of a simulated library (fake_nvml.c). */
#include "tree.h"

#include <sys/wait.h>
#include <time.h>

#include "../src/sources/hardware.h"

static jst_sample s;

static void play(const char *text)
{
    tree_put_text("/play", text);
}

static int begin(void **state)
{
    (void)state;
    char path[96];
    tree_begin();
    tree_put_text("/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/numa_node", "0\n");
    tree_put_text("/sys/bus/pci/devices/none", "");
    tree_run("ln -s ../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0 "
             "%s/sys/bus/pci/devices/0000:3b:00.0",
             tree);
    snprintf(path, sizeof path, "%s/play", tree);
    setenv("FAKE_NVML", path, 1);
    play("");
    return 0;
}

static int end(void **state)
{
    (void)state;
    jst_sample_free(&s);
    tree_end();
    return 0;
}

static const jst_component *gpu(const char *name)
{
    return tree_find(&s, JST_KIND_GPU, name, "");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The increase by a rate: it was valid for at least `least` seconds and at most until now. */
static void assert_rate(const jst_component *c, enum jst_component_metric m, double rate,
                        double least, double since)
{
    double gained = (double)jst_test_gained(c, m);
    assert_true(gained >= rate * least * 0.999 && gained <= rate * (seconds() - since) * 1.001 + 1);
}

static void no_library(void **state)
{
    (void)state;
    jst_nvml_library = "libjostle-has-none.so.1";
    assert_string_equal(jst_source_nvidia.open(), "no NVIDIA driver");
}

static void what_is_played(void **state)
{
    (void)state;
    play("used 5 gpm1 50 gpm20 1000 gpm21 2000 gpm60 10 gpm61 20 clock 1755 clock_limit 1980\n"
         "energy 1000 by_power 7 by_heat 1 generation 5 width 16 replays 2 ecc 1 temperature 60\n"
         "power_limit 700000");
    double since = seconds();
    assert_null(jst_source_nvidia.open());
    assert_null(tree_more(&jst_source_nvidia, &s));
    usleep(50000);
    play("used 6 gpm1 50 gpm20 1000 gpm21 2000 gpm60 10 gpm61 20 clock 1200 clock_limit 1980\n"
         "energy 3500 by_power 1007 by_heat 501 generation 4 width 8 replays 5 ecc 3 xids 2\n"
         "temperature 61 power_limit 700000");
    assert_null(tree_more(&jst_source_nvidia, &s));
    const jst_component *c = gpu("0000:3b:00.0");
    assert_non_null(c);
    assert_string_equal(c->names.path, "pci0000:3a/0000:3a:00.0/0000:3b:00.0");
    assert_int_equal(c->names.numa, 1); /* node 0 */
    assert_string_equal(c->names.source, "");
    assert_int_equal(jst_test_number(c, JST_MEMORY_USED_BYTES), 6);
    assert_int_equal(jst_test_number(c, JST_MEMORY_LIMIT_BYTES), 80000000000);
    assert_rate(c, JST_DEVICE_BUSY_NS, 5e8, 0.05, since);
    assert_rate(c, JST_LINK_SEND_BYTES, 1000 * 1048576.0, 0.05, since);
    assert_rate(c, JST_LINK_RECEIVE_BYTES, 2000 * 1048576.0, 0.05, since);
    assert_rate(c, JST_DEVICE_PEER_RECEIVE_BYTES, 10 * 1048576.0, 0.05, since);
    assert_rate(c, JST_DEVICE_PEER_SEND_BYTES, 20 * 1048576.0, 0.05, since);
    assert_int_equal(jst_test_number(c, JST_DEVICE_CLOCK_KHZ), 1200000);
    assert_int_equal(jst_test_number(c, JST_DEVICE_CLOCK_LIMIT_KHZ), 1980000);
    assert_int_equal(jst_test_gained(c, JST_POWER_ENERGY_UJ), 2500000);
    assert_int_equal(jst_test_number(c, JST_POWER_LIMIT_UW), 700000000);
    assert_int_equal(jst_test_number(c, JST_POWER_TEMPERATURE_MC), 61000);
    assert_int_equal(jst_test_gained(c, JST_DEVICE_THROTTLE_NS), 1500);
    assert_int_equal(jst_test_number(c, JST_LINK_RATE_BYTES), 8 * UINT64_C(1969230769));
    assert_int_equal(jst_test_gained(c, JST_LINK_ERROR_OPS), 3);
    assert_int_equal(jst_test_gained(c, JST_DEVICE_ERROR_OPS), 4); /* 2 Xid, 2 of the memory */
    assert_int_equal(jst_test_gained(gpu("0000:af:00.0"), JST_DEVICE_ERROR_OPS), 2);
    c = gpu("MIG-0000-1");
    assert_int_equal(jst_test_number(c, JST_MEMORY_USED_BYTES), 6);
    assert_rate(c, JST_LINK_SEND_BYTES, 1000 * 1048576.0, 0.05, since);
    assert_false(jst_test_has(c, JST_DEVICE_CLOCK_KHZ)); /* the whole GPU's */
    assert_int_equal(tree_named(&s), 3);
}

static void without_gpm(void **state)
{
    (void)state;
    play("gpm 0 busy 40 sent 3000 received 5000 peer_sent 10 peer_received 20");
    double since = seconds();
    assert_null(jst_source_nvidia.open());
    assert_null(tree_more(&jst_source_nvidia, &s));
    usleep(20000);
    play("gpm 0 busy 40 sent 3000 received 5000 peer_sent 15");
    assert_null(tree_more(&jst_source_nvidia, &s));
    const jst_component *c = gpu("0000:3b:00.0");
    assert_rate(c, JST_DEVICE_BUSY_NS, 4e8, 0.02, since);
    assert_rate(c, JST_LINK_SEND_BYTES, 3e6, 0.02, since);
    assert_rate(c, JST_LINK_RECEIVE_BYTES, 5e6, 0.02, since);
    assert_int_equal(jst_test_gained(c, JST_DEVICE_PEER_SEND_BYTES), 5 * 1024);
    assert_int_equal(jst_test_gained(c, JST_DEVICE_PEER_RECEIVE_BYTES), 0);
}

/* A driver that lacks functions: another library, in a process of its own. */
static void old_driver(void **state)
{
    (void)state;
    jst_nvml_library = JST_FAKE_NVML_OLD;
    play("busy 100 sent 3000 received 5000 reasons 32 clock 900");
    double since = seconds();
    assert_null(jst_source_nvidia.open());
    assert_null(tree_more(&jst_source_nvidia, &s));
    usleep(20000);
    assert_null(tree_more(&jst_source_nvidia, &s));
    const jst_component *c = gpu("0000:3b:00.0");
    assert_rate(c, JST_DEVICE_BUSY_NS, 1e9, 0.02, since);
    assert_rate(c, JST_DEVICE_THROTTLE_NS, 1e9, 0.02, since); /* heat */
    assert_int_equal(jst_test_number(c, JST_DEVICE_CLOCK_KHZ), 900000);
    assert_false(jst_test_has(c, JST_POWER_ENERGY_UJ));
    assert_int_equal(tree_named(&s), 2);
}

static void assert_domains(const char *how, const char *first, const char *second)
{
    jst_sample_free(&s);
    play(how);
    assert_null(jst_source_nvidia.open());
    assert_null(tree_more(&jst_source_nvidia, &s));
    assert_string_equal(gpu("0000:3b:00.0")->names.source, first);
    assert_string_equal(gpu("0000:af:00.0")->names.source, second);
    assert_string_equal(gpu("MIG-0000-1")->names.source, ""); /* instances have no NVLink */
}

static void domains_of_nvlink(void **state)
{
    (void)state;
    const char *fabric = "abababababababababababababababab/7";
    assert_domains("nvlink 0", "", "");
    assert_domains("nvlink 1", "0000:3b:00.0", "0000:3b:00.0");
    assert_domains("nvlink 2", "0000:3b:00.0", "0000:3b:00.0");
    assert_domains("nvlink 3", "", "");
    assert_domains("nvlink 2 fabric 1", fabric, fabric);
}

/* Links come up after the agent: the GPU is named again, and its numbers continue. */
static void links_that_come_up(void **state)
{
    (void)state;
    play("energy 1");
    assert_null(jst_source_nvidia.open());
    assert_null(tree_more(&jst_source_nvidia, &s));
    play("energy 3 nvlink 1");
    assert_null(jst_source_nvidia.open());
    assert_null(tree_more(&jst_source_nvidia, &s));
    assert_string_equal(gpu("0000:3b:00.0")->names.source, "0000:3b:00.0");
    assert_int_equal(jst_test_gained(gpu("0000:3b:00.0"), JST_POWER_ENERGY_UJ), 2000);
    assert_int_equal(tree_named(&s), 3);
}

static void lost_and_back(void **state)
{
    (void)state;
    play("energy 1");
    assert_null(jst_source_nvidia.open());
    assert_null(tree_more(&jst_source_nvidia, &s));
    play("lost 0 energy 2");
    assert_string_equal(tree_more(&jst_source_nvidia, &s), "GPU 0000:3b:00.0 is lost");
    assert_int_equal(tree_named(&s), 2);
    play("energy 4");
    assert_null(tree_more(&jst_source_nvidia, &s));
    assert_int_equal(jst_test_gained(gpu("0000:3b:00.0"), JST_POWER_ENERGY_UJ), 3000);
}

static void driver_without_gpus(void **state)
{
    (void)state;
    play("init 9");
    assert_string_equal(jst_source_nvidia.open(), "NVIDIA's driver is not loaded");
    play("init 18");
    assert_string_equal(jst_source_nvidia.open(),
                        "NVIDIA's driver cannot be used: error 18 of NVML");
    play("gpus 0");
    assert_string_equal(jst_source_nvidia.open(), "no NVIDIA GPU");
}

int main(void)
{
    /* First: a library that was opened stays open. */
    const struct CMUnitTest absent[] = {cmocka_unit_test_setup_teardown(no_library, begin, end)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_played, begin, end),
        cmocka_unit_test_setup_teardown(without_gpm, begin, end),
        cmocka_unit_test_setup_teardown(domains_of_nvlink, begin, end),
        cmocka_unit_test_setup_teardown(links_that_come_up, begin, end),
        cmocka_unit_test_setup_teardown(lost_and_back, begin, end),
        cmocka_unit_test_setup_teardown(driver_without_gpus, begin, end),
    };
    const struct CMUnitTest old[] = {cmocka_unit_test_setup_teardown(old_driver, begin, end)};
    int failed = cmocka_run_group_tests(absent, NULL, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(cmocka_run_group_tests(old, NULL, NULL));
    int status = 1;
    failed += waitpid(child, &status, 0) != child || status != 0;
    jst_nvml_library = JST_FAKE_NVML;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
