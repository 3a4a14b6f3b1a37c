/* machine.c: samples the machine as a whole: CPU time, pressure, memory, frequencies. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "numbers.h"
#include "system.h"

/* /proc/stat has a line for each CPU, and one with a number for each interrupt. */
static char text[1024 * 1024];

static uint64_t tick_ns = 10000000, page_bytes = 4096;
static unsigned cpus;
static uint64_t idle, iowait; /* as reported */

/* The kernel's sums of these two may go back a little. */
static uint64_t not_less(uint64_t *last, uint64_t now)
{
    if (now >= *last || *last - now > 1000)
        *last = now;
    return *last;
}

static void parse_cpu_line(jst_component *c, const char *line)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };
    uint64_t v[COLUMNS] = {0};
    if (jst_line_numbers(line, v, COLUMNS) <= IDLE)
        return;
    not_less(&idle, v[IDLE]);
    not_less(&iowait, v[IOWAIT]);
    jst_counter(c, JST_CPU_USER_NS, (v[USER] + v[NICE]) * tick_ns);
    jst_counter(c, JST_CPU_SYSTEM_NS, v[SYSTEM] * tick_ns);
    jst_counter(c, JST_CPU_IDLE_NS, (idle + iowait) * tick_ns);
    jst_counter(c, JST_CPU_IOWAIT_NS, iowait * tick_ns);
    jst_counter(c, JST_CPU_IRQ_NS, (v[IRQ] + v[SOFTIRQ]) * tick_ns);
    jst_counter(c, JST_CPU_STEAL_NS, v[STEAL] * tick_ns);
}

/* Returns how many CPUs are in use. */
static unsigned parse_stat(jst_component *c, const char *from)
{
    unsigned n = 0;
    for (const char *line = from; line; line = jst_next_line(line)) {
        uint64_t v;
        if (strncmp(line, "cpu ", 4) == 0)
            parse_cpu_line(c, line + 4);
        else if (strncmp(line, "cpu", 3) == 0)
            n++;
        else if (strncmp(line, "procs_running ", 14) == 0 && jst_line_numbers(line + 14, &v, 1))
            jst_level(c, JST_CPU_RUNNABLE, v ? v - 1 : 0); /* the thread that reads */
    }
    if (n)
        jst_level(c, JST_CPU_COUNT, n);
    return n;
}

/* `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`, in microseconds; of `cpu` without `full` before Linux
 * 5.13. full: the metric, or -1. */
static void parse_pressure(jst_component *c, const char *from, int some, int full)
{
    for (const char *line = from; line; line = jst_next_line(line)) {
        int metric = strncmp(line, "some ", 5) == 0 ? some : full;
        const char *total = strstr(line, "total="), *end = strchr(line, '\n');
        uint64_t us;
        if (metric < 0 || !end || !total || total > end)
            continue;
        if (jst_line_numbers(total + 6, &us, 1) && us < UINT64_MAX / 1000)
            jst_counter(c, (enum jst_component_metric)metric, us * 1000);
    }
}

/* The number behind `key` at the beginning of a line. */
static bool key_number(const char *from, const char *key, uint64_t *to)
{
    size_t n = strlen(key);
    for (const char *line = from; line; line = jst_next_line(line))
        if (strncmp(line, key, n) == 0 && (line[n] == ' ' || line[n] == ':'))
            return jst_line_numbers(line + n + (line[n] == ':'), to, 1) == 1;
    return false;
}

/* In KiB, though it says kB; MemAvailable came with Linux 3.14. */
static void parse_meminfo(jst_component *c, const char *from)
{
    uint64_t total, available, cached = 0, buffers = 0, v;
    if (!key_number(from, "MemTotal", &total) || total > UINT64_MAX / 1024)
        return;
    jst_level(c, JST_MEMORY_LIMIT_BYTES, total * 1024);
    if (key_number(from, "MemAvailable", &v)) {
        available = v;
    } else {
        if (!key_number(from, "MemFree", &available))
            return;
        key_number(from, "Cached", &cached);
        key_number(from, "Buffers", &buffers);
        available += cached + buffers;
    }
    jst_level(c, JST_MEMORY_USED_BYTES, available < total ? (total - available) * 1024 : 0);
}

static void parse_vmstat(jst_component *c, const char *from)
{
    uint64_t in, out, kills;
    if (key_number(from, "pswpin", &in) && key_number(from, "pswpout", &out))
        jst_counter(c, JST_MEMORY_SWAP_BYTES, (in + out) * page_bytes);
    if (key_number(from, "oom_kill", &kills))
        jst_counter(c, JST_MEMORY_OOM_OPS, kills);
}

static void report_pressure(jst_component *c)
{
    static const struct {
        const char *path;
        int some, full;
    } files[] = {
        {"/proc/pressure/cpu", JST_PRESSURE_CPU_NS, -1},
        {"/proc/pressure/memory", JST_PRESSURE_MEMORY_NS, JST_PRESSURE_MEMORY_FULL_NS},
        {"/proc/pressure/io", JST_PRESSURE_IO_NS, JST_PRESSURE_IO_FULL_NS},
    };
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        if (jst_read_text(files[i].path, text, sizeof text) > 0)
            parse_pressure(c, text, files[i].some, files[i].full);
}

static const char *open_machine(void)
{
    long ticks = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);
    tick_ns = ticks > 0 ? UINT64_C(1000000000) / (uint64_t)ticks : tick_ns;
    page_bytes = page > 0 ? (uint64_t)page : page_bytes;
    idle = iowait = 0;
    cpus = 0;
    return jst_read_text("/proc/stat", text, sizeof text) > 0 ? NULL : "/proc/stat cannot be read";
}

static const char *sample_machine(jst_sample *s)
{
    jst_component *c =
        jst_component_of(s, &(jst_names){.kind = JST_KIND_MACHINE, .name = "machine"});
    const char *fault = NULL;
    if (jst_read_text("/proc/stat", text, sizeof text) > 0) {
        unsigned n = parse_stat(c, text);
        if (n != cpus)
            jst_processor_begin(cpus = n);
    } else {
        fault = "/proc/stat cannot be read";
    }
    report_pressure(c);
    if (jst_read_text("/proc/meminfo", text, sizeof text) > 0)
        parse_meminfo(c, text);
    if (jst_read_text("/proc/vmstat", text, sizeof text) > 0)
        parse_vmstat(c, text);
    jst_processor_report(c);
    return fault;
}

const jst_source jst_source_machine = {
    .name = "machine", .open = open_machine, .sample = sample_machine};
