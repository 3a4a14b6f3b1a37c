/* test_power.c: tests energy, limits and temperatures; counters of memory controllers. */
#include <time.h>

#include "tree.h"

#include "../src/sources/devices/imc_sysfs.h"
#include "../src/sources/devices/power.h"
#include "../src/sources/hardware.h"

static jst_sample s;

static int end(void **state)
{
    (void)state;
    jst_sample_free(&s);
    tree_end();
    return 0;
}

static int begin_power(void **state)
{
    (void)state;
    tree_begin_with(JST_FIXTURES "/power.tree");
    return 0;
}

static int begin_cray(void **state)
{
    (void)state;
    tree_begin_with(JST_FIXTURES "/cray.tree");
    return 0;
}

static int begin_imc(void **state)
{
    (void)state;
    tree_begin_with(JST_FIXTURES "/imc.tree");
    return 0;
}

static const jst_component *domain(const char *name)
{
    const jst_component *c = tree_find(&s, JST_KIND_POWER, name, "");
    assert_non_null(c);
    return c;
}

static void texts(void **state)
{
    (void)state;
    uint64_t n;
    assert_int_equal(jst_temperature("61000\n", &n), JST_THERE);
    assert_int_equal(n, 61000);
    assert_int_equal(jst_temperature("-3000\n", &n), JST_THERE);
    assert_int_equal(n, 0);
    assert_int_equal(jst_temperature("4294967295\n", &n), JST_BAD);
    assert_int_equal(jst_temperature("N/A\n", &n), JST_BAD);
    assert_int_equal(jst_temperature("--1\n", &n), JST_BAD);
    assert_true(jst_package_of_label("Package id 1\n", &n));
    assert_int_equal(n, 1);
    assert_false(jst_package_of_label("Core 0\n", &n));
    assert_int_equal(jst_cray_number("71 W 1700061089722572 us\n", "W", &n), JST_THERE);
    assert_int_equal(n, 71);
    assert_int_equal(jst_cray_number("71 W 1 us\n", "J", &n), JST_BAD);
    assert_int_equal(jst_cray_number("71 Watt 1 us\n", "W", &n), JST_BAD);
    assert_int_equal(jst_cray_number("71\n", "W", &n), JST_BAD);
    assert_int_equal(jst_cray_number("", "W", &n), JST_BAD);
}

static void rapl(void **state)
{
    (void)state;
    assert_null(jst_source_power.open());
    assert_string_equal(tree_more(&jst_source_power, &s),
                        "intel-rapl:1:0/energy_uj cannot be read (only root may)");
    const jst_component *c = domain("package-0");
    assert_int_equal(jst_test_number(c, JST_POWER_ENERGY_UJ), 262143328849);
    assert_int_equal(jst_test_number(c, JST_POWER_LIMIT_UW), 205000000);
    assert_int_equal(jst_test_number(domain("package-0/dram"), JST_POWER_ENERGY_UJ), 65712999612);
    assert_int_equal(jst_test_number(domain("package-1"), JST_POWER_ENERGY_UJ), 1000);
    assert_true(jst_test_unknown(domain("package-1/dram"), JST_POWER_ENERGY_UJ));
    /* It wraps: known where it does. */
    tree_put_text("/sys/class/powercap/intel-rapl:0/energy_uj", "19\n");
    tree_put_text("/sys/class/powercap/intel-rapl:1/energy_uj", "900\n");
    tree_more(&jst_source_power, &s);
    assert_int_equal(jst_test_gained(domain("package-0"), JST_POWER_ENERGY_UJ), 21);
    assert_false(domain("package-0")->epoch);
    assert_true(jst_test_unknown(domain("package-1"), JST_POWER_ENERGY_UJ));
    assert_int_equal(jst_test_gained(domain("package-1"), JST_POWER_ENERGY_UJ), 0);
}

static void temperatures(void **state)
{
    (void)state;
    tree_more(&jst_source_power, &s);
    assert_int_equal(jst_test_number(domain("package-0"), JST_POWER_TEMPERATURE_MC), 61000);
    assert_int_equal(jst_test_number(domain("package-1"), JST_POWER_TEMPERATURE_MC),
                     0); /* -3 degrees */
    assert_int_equal(jst_test_number(domain("processors"), JST_POWER_TEMPERATURE_MC), 71250);
    assert_int_equal(tree_named(&s), 5); /* no disk's temperature, no second package-0 */
    tree_remove("/sys/class/hwmon");
    tree_break("/sys/class/powercap/intel-rapl:0/energy_uj");
    assert_null(jst_source_power.open()); /* package-1 is readable */
    tree_remove("/sys/class/powercap/intel-rapl:0:0");
    tree_remove("/sys/class/powercap/intel-rapl:1");
    tree_remove("/sys/class/powercap/intel-rapl:1:0");
    assert_string_equal(jst_source_power.open(),
                        "intel-rapl:0/energy_uj cannot be read (only root may)");
    tree_remove("/sys");
    assert_string_equal(jst_source_power.open(), "no RAPL and no processor's temperature");
}

static void cray(void **state)
{
    (void)state;
    assert_null(jst_source_cray_power.open());
    assert_null(tree_more(&jst_source_cray_power, &s));
    assert_int_equal(jst_test_number(domain("node"), JST_POWER_ENERGY_UJ), 81147367000000);
    assert_false(jst_test_has(domain("node"), JST_POWER_LIMIT_UW)); /* 0: none */
    assert_int_equal(jst_test_number(domain("node/cpu"), JST_POWER_ENERGY_UJ), 31147367000000);
    assert_int_equal(jst_test_number(domain("node/memory"), JST_POWER_ENERGY_UJ), 9000000);
    assert_int_equal(jst_test_number(domain("node/accel0"), JST_POWER_LIMIT_UW), 560000000);
    assert_true(jst_test_unknown(domain("node/accel1"), JST_POWER_ENERGY_UJ));
    assert_false(domain("node")->epoch);
    tree_put_text("/sys/cray/pm_counters/startup", "1700009999\n");
    assert_null(tree_more(&jst_source_cray_power, &s));
    assert_true(domain("node/cpu")->epoch);
    tree_remove("/sys");
    assert_string_equal(jst_source_cray_power.open(), "no Cray power counters");
}

#define IMC "/sys/bus/event_source/devices/uncore_imc"

static void controllers(void **state)
{
    (void)state;
    jst_imc imc;
    assert_true(jst_imc_read(IMC "_0", &imc));
    assert_true(imc.counts_commands);
    assert_int_equal(imc.type, 14);
    assert_int_equal(imc.n_cpus, 2);
    assert_int_equal(imc.cpus[1], 28);
    assert_int_equal(imc.n_reads, 1);
    assert_int_equal(imc.reads[0].config, 0x0304);
    assert_int_equal(imc.writes[0].config, 0x0c04);
    assert_true(imc.reads[0].bytes == 64);
    assert_true(jst_imc_read(IMC "_free_running_0", &imc));
    assert_false(imc.counts_commands);
    assert_int_equal(imc.writes[0].config, 0x30ff);
    assert_true(jst_imc_read(IMC "_1", &imc));
    assert_int_equal(imc.n_reads, 0);           /* a number that does not fit its bits */
    assert_false(jst_imc_read(IMC "_2", &imc)); /* no list of CPUs */
    assert_false(jst_imc_read(IMC "_3", &imc));
}

static void formats(void **state)
{
    (void)state;
    jst_imc_event e = {.config = 0};
    unsigned cpus[4];
    assert_true(jst_format_put("config1:0-3,60\n", 0x15, &e));
    assert_true(e.config1 == ((UINT64_C(1) << 60) | 5));
    assert_false(jst_format_put("config:0-3\n", 16, &e));
    assert_false(jst_format_put("config:3-0\n", 1, &e));
    assert_false(jst_format_put("config:0-64\n", 1, &e));
    assert_false(jst_format_put("config:\n", 1, &e));
    assert_false(jst_format_put("conf:0\n", 1, &e));
    assert_true(jst_event_bytes("6.103515625e-5\n", "MiB\n") == 64);
    assert_true(jst_event_bytes("64\n", "Bytes\n") == 64);
    assert_true(jst_event_bytes("-1\n", "MiB\n") == 0);
    assert_true(jst_event_bytes("nan\n", "MiB\n") == 0);
    assert_true(jst_event_bytes("1\n", "Joules\n") == 0);
    assert_true(jst_event_text(IMC "_0", "event=0x4,umask=0x3,edge\n", &e));
    assert_int_equal(e.config, 0x40304);
    assert_false(jst_event_text(IMC "_0", "event=0x4,ch_mask=1\n", &e)); /* has no format */
    assert_false(jst_event_text(IMC "_0", "../type=1\n", &e));
    assert_false(jst_event_text(IMC "_0", "event=-1\n", &e));
    assert_int_equal(jst_cpu_list("0-3,8\n", cpus, 4), 5);
    assert_int_equal(cpus[3], 3);
    assert_int_equal(jst_cpu_list("3-0\n", NULL, 0), 0);
    assert_int_equal(jst_cpu_list("0-4294967295\n", NULL, 0), 0);
    assert_int_equal(jst_cpu_list("\n", NULL, 0), 0);
}

/* No kernel has a device of this number: it does not open, and reports why. */
static void not_granted(void **state)
{
    (void)state;
    tree_put_text(IMC "_0/type", "4000000000\n");
    tree_put_text(IMC "_1/type", "4000000000\n");
    const char *why = jst_source_memory_traffic.open();
    assert_non_null(why);
    assert_true(strstr(why, "memory controllers") || strstr(why, "CAP_PERFMON"));
    tree_remove("/sys");
    assert_string_equal(jst_source_memory_traffic.open(),
                        "no counters of memory controllers (uncore_imc)");
}

/* Real perf, on a clock of the kernel in place of a controller: each ns a piece of 64 bytes. */
static void counted_by_perf(void **state)
{
    (void)state;
    static const char *const left_out[] = {IMC "_1", IMC "_2", IMC "_free_running_0"};
    static const char *const events[] = {"cas_count_read", "cas_count_write"};
    struct timespec before, after, pause = {.tv_nsec = 50000000};
    for (unsigned i = 0; i < 3; i++)
        tree_remove(left_out[i]);
    tree_put_text(IMC "_0/type", "1\n"); /* PERF_TYPE_SOFTWARE */
    tree_put_text(IMC "_0/cpumask", "0\n");
    for (unsigned i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof path, IMC "_0/events/%s", events[i]);
        tree_put_text(path, "event=0x00\n"); /* PERF_COUNT_SW_CPU_CLOCK */
    }
    const char *why = jst_source_memory_traffic.open();
    if (why && strstr(why, "CAP_PERFMON"))
        skip();
    assert_null(why);
    tree_more(&jst_source_memory_traffic, &s);
    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&pause, NULL);
    tree_more(&jst_source_memory_traffic, &s);
    clock_gettime(CLOCK_MONOTONIC, &after);
    const jst_component *c = jst_test_component(&s, JST_KIND_SOCKET, "socket0", "");
    uint64_t ns = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000 + (uint64_t)after.tv_nsec -
                  (uint64_t)before.tv_nsec;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t gained = jst_test_gained(c, i ? JST_MEMORY_WRITE_BYTES : JST_MEMORY_READ_BYTES);
        assert_in_range(gained, 64 * UINT64_C(50000000), 64 * (ns + 5000000));
        assert_false(jst_test_unknown(c, i ? JST_MEMORY_WRITE_BYTES : JST_MEMORY_READ_BYTES));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test_setup_teardown(rapl, begin_power, end),
        cmocka_unit_test_setup_teardown(temperatures, begin_power, end),
        cmocka_unit_test_setup_teardown(cray, begin_cray, end),
        cmocka_unit_test_setup_teardown(controllers, begin_imc, end),
        cmocka_unit_test_setup_teardown(formats, begin_imc, end),
        cmocka_unit_test_setup_teardown(counted_by_perf, begin_imc, end),
        cmocka_unit_test_setup_teardown(not_granted, begin_imc, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
