/* processor.c: samples frequencies, their limits and throttling of the CPUs, for machine.c.
 *
 * Reading a CPU's files costs some ten microseconds, and there are hundreds of them: in each sample
 * CPUS_AT_ONCE are read, in turn. Frequencies are those of the CPUs read; limits and throttling sum
 * the known values of all, so that no throttling is lost, though it may appear some slices late.
 */
#include <stdio.h>
#include <string.h>

#include "machine.h"

#define CPUS_MAX 1024
#define CPUS_AT_ONCE 16
#define NS_PER_MS UINT64_C(1000000)

/* As last read; 0: not known. */
typedef struct cpu {
    uint32_t number;
    bool first_of_core, first_of_package;
    uint64_t can_khz, limit_khz; /* the most it can do, and what it is limited to */
    uint64_t throttles, throttle_ms;
    uint64_t package_throttles, package_throttle_ms;
} cpu;

static cpu cpus[CPUS_MAX];
static unsigned count, turn;
static bool has_frequency, has_throttle, has_throttle_time;

static bool read_of(uint32_t number, const char *file, uint64_t *to)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s", (unsigned)number, file);
    return jst_read_number(path, to) == 0;
}

/* Is it the first in a list such as `0,28` or `0-3`? Where there is no list each is its own. */
static bool is_first(uint32_t number, const char *file)
{
    char path[128], text[256];
    unsigned first;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/%s", (unsigned)number,
             file);
    /* Of a longer list the beginning is there. */
    jst_read_text(path, text, sizeof text);
    return sscanf(text, "%u", &first) != 1 || first == number;
}

static void read_throttle(cpu *c)
{
    if (c->first_of_core) {
        read_of(c->number, "thermal_throttle/core_throttle_count", &c->throttles);
        read_of(c->number, "thermal_throttle/core_throttle_total_time_ms", &c->throttle_ms);
    }
    if (c->first_of_package) {
        read_of(c->number, "thermal_throttle/package_throttle_count", &c->package_throttles);
        read_of(c->number, "thermal_throttle/package_throttle_total_time_ms",
                &c->package_throttle_ms);
    }
}

/* CPUs in use have a line in /proc/stat; here a file in the CPU's folder shows it. */
static bool is_online(uint32_t number)
{
    uint64_t online, id;
    if (read_of(number, "online", &online))
        return online == 1;
    return read_of(number, "topology/core_id", &id);
}

void jst_processor_begin(unsigned n)
{
    uint64_t v;
    unsigned known = 0;
    has_frequency = has_throttle = has_throttle_time = false;
    memset(cpus, 0, sizeof cpus);
    for (uint32_t number = 0; known < n && number < CPUS_MAX; number++) {
        if (!is_online(number))
            continue;
        cpu *c = &cpus[known++];
        c->number = number;
        c->first_of_core = is_first(number, "thread_siblings_list");
        c->first_of_package =
            is_first(number, "package_cpus_list") && is_first(number, "core_siblings_list");
        read_of(number, "cpufreq/cpuinfo_max_freq", &c->can_khz);
        has_frequency = has_frequency || read_of(number, "cpufreq/scaling_cur_freq", &v);
        has_throttle = has_throttle || read_of(number, "thermal_throttle/core_throttle_count", &v);
        has_throttle_time = has_throttle_time ||
                            read_of(number, "thermal_throttle/core_throttle_total_time_ms", &v);
        read_throttle(c);
    }
    count = known;
    turn = 0;
}

static void report_throttle(jst_component *c)
{
    uint64_t ops = 0, ms = 0;
    for (unsigned i = 0; i < count; i++) {
        ops += cpus[i].throttles + cpus[i].package_throttles;
        ms += cpus[i].throttle_ms + cpus[i].package_throttle_ms;
    }
    if (has_throttle)
        jst_counter(c, JST_CPU_THROTTLE_OPS, ops);
    if (has_throttle_time)
        jst_counter(c, JST_CPU_THROTTLE_NS, ms * NS_PER_MS);
}

/* The lowest limit that is below what its CPU can do. */
static uint64_t lowest_limit(void)
{
    uint64_t lowest = 0;
    for (unsigned i = 0; i < count; i++)
        if (cpus[i].limit_khz && cpus[i].limit_khz < cpus[i].can_khz &&
            (!lowest || cpus[i].limit_khz < lowest))
            lowest = cpus[i].limit_khz;
    return lowest;
}

void jst_processor_report(jst_component *c)
{
    uint64_t sum = 0, lowest = 0, n = 0;
    unsigned some = count < CPUS_AT_ONCE ? count : CPUS_AT_ONCE;
    for (unsigned i = 0; i < some; i++, turn = (turn + 1) % count) {
        uint64_t khz;
        cpu *one_cpu = &cpus[turn];
        if (has_throttle)
            read_throttle(one_cpu);
        if (!has_frequency || !read_of(one_cpu->number, "cpufreq/scaling_cur_freq", &khz) || !khz)
            continue;
        read_of(one_cpu->number, "cpufreq/scaling_max_freq", &one_cpu->limit_khz);
        sum += khz;
        n++;
        lowest = !lowest || khz < lowest ? khz : lowest;
    }
    report_throttle(c);
    if (n == 0)
        return;
    jst_level(c, JST_CPU_FREQUENCY_KHZ, sum / n);
    jst_level(c, JST_CPU_FREQUENCY_MIN_KHZ, lowest);
    jst_level(c, JST_CPU_FREQUENCY_LIMIT_KHZ, lowest_limit());
}
