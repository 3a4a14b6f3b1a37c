/* cgroup.c: samples what batch jobs use of the machine, by their control groups: also jobs without
 * the preload. There are no network bytes here: the kernel does not count them by group.
 *
 * A group is removed with its job. The job's use since the last sample is then lost.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "hardware.h"

static char text[65536]; /* the source has a thread of its own */

/* ---- devices, remembered for one sample ---- */

static struct {
    uint32_t major, minor;
    int level;
} devices[256];
static unsigned n_devices;

static int level_of(uint32_t major, uint32_t minor)
{
    char folder[JST_PATH];
    if (major == 7) /* a loop's bytes are those of its file's disk */
        return JST_DEVICE_SKIP;
    for (unsigned i = 0; i < n_devices; i++)
        if (devices[i].major == major && devices[i].minor == minor)
            return devices[i].level;
    snprintf(folder, sizeof folder, "/sys/dev/block/%u:%u/slaves", major, minor);
    DIR *d = jst_open_folder(folder);
    int level = d && jst_next_name(d, "") ? JST_DEVICE_STACKED : JST_DEVICE_DISK;
    if (d)
        closedir(d);
    if (n_devices < sizeof devices / sizeof *devices) {
        devices[n_devices].major = major;
        devices[n_devices].minor = minor;
        devices[n_devices++].level = level;
    }
    return level;
}

/* ---- one group ---- */

static void take_file(jst_numbers *n, enum jst_component_metric metric, const char *folder,
                      const char *file)
{
    uint64_t number = 0;
    jst_found found = jst_file_number(folder, file, &number);
    jst_take(n, metric, found, number, 1);
}

static void take_key(jst_numbers *n, enum jst_component_metric metric, const char *folder,
                     const char *file, const char *key)
{
    uint64_t number = 0;
    jst_found found = jst_file_text(folder, file, text, sizeof text);
    if (found == JST_THERE)
        found = jst_scan_key(text, key, &number);
    jst_take(n, metric, found, number, 1);
}

static void take_memory(jst_numbers *n, const char *folder, const char *used, const char *limit)
{
    uint64_t bytes = 0, reclaimable;
    jst_found found = jst_file_number(folder, used, &bytes);
    if (found == JST_THERE) {
        found = jst_file_text(folder, "memory.stat", text, sizeof text) == JST_THERE ? JST_THERE
                                                                                     : JST_BAD;
        reclaimable = jst_cgroup_reclaimable(text);
        bytes -= reclaimable < bytes ? reclaimable : bytes;
    }
    jst_take(n, JST_MEMORY_USED_BYTES, found, bytes, 1);
    found = jst_file_text(folder, limit, text, sizeof text);
    if (found == JST_THERE)
        found = jst_cgroup_limit(text, &bytes);
    jst_take(n, JST_MEMORY_LIMIT_BYTES, found, bytes, 1);
}

static void take_pressure(jst_numbers *n, const char *folder, const char *file,
                          enum jst_component_metric some, int full)
{
    uint64_t ns = 0;
    jst_found found = jst_file_text(folder, file, text, sizeof text);
    if (found != JST_THERE)
        return; /* the kernel is configured not to count it */
    found = jst_cgroup_pressure(text, "some", &ns);
    jst_take(n, some, found, ns, 1);
    if (full >= 0) {
        found = jst_cgroup_pressure(text, "full", &ns);
        jst_take(n, (enum jst_component_metric)full, found, ns, 1);
    }
}

static void take_cores(jst_numbers *n, const char *folder, const char *file)
{
    if (jst_file_text(folder, file, text, sizeof text) != JST_THERE)
        return;
    unsigned cores = jst_cpu_list(text, NULL, 0);
    if (cores)
        jst_take(n, JST_CPU_COUNT, JST_THERE, cores, 1);
}

/* Identifies a group as long as it lives; 0: it is gone. */
static uint64_t identity(const char *folder)
{
    char full[2 * JST_PATH];
    struct stat st;
    snprintf(full, sizeof full, "%s%s", jst_root, folder);
    return stat(full, &st) == 0 ? st.st_ino : 0;
}

/* Both return what identifies the group, or 0: it is gone. */
static uint64_t read_second(const char *folder, jst_numbers *n)
{
    jst_found found = jst_file_text(folder, "cpu.stat", text, sizeof text);
    if (found == JST_ABSENT)
        return 0;
    jst_cgroup_cpu(text, n);
    take_memory(n, folder, "memory.current", "memory.max");
    take_key(n, JST_MEMORY_OOM_OPS, folder, "memory.events", "oom_kill");
    found = jst_file_text(folder, "io.stat", text, sizeof text);
    if (found == JST_THERE)
        jst_cgroup_io(text, level_of, n);
    take_pressure(n, folder, "cpu.pressure", JST_PRESSURE_CPU_NS, -1);
    take_pressure(n, folder, "memory.pressure", JST_PRESSURE_MEMORY_NS,
                  JST_PRESSURE_MEMORY_FULL_NS);
    take_pressure(n, folder, "io.pressure", JST_PRESSURE_IO_NS, JST_PRESSURE_IO_FULL_NS);
    take_file(n, JST_TASKS_COUNT, folder, "pids.current");
    take_cores(n, folder, "cpuset.cpus.effective");
    return identity(folder);
}

/* The folder of a group in a controller of version 1, which may be mounted together with another. */
static bool controller(char folder[JST_PATH], const char *names, const char *path)
{
    for (; *names; names += *names == ' ') {
        int n = (int)strcspn(names, " ");
        int m = snprintf(folder, JST_PATH, JST_CGROUP "/%.*s%s", n, names, path);
        if (m < JST_PATH && identity(folder))
            return true;
        names += n;
    }
    return false;
}

/* Since Linux 5.17 usage_user and usage_sys have the ticks that hit the group, on a core with
 * others almost none, and stat has measured time. Before, it was the other way round. */
static bool ticks_are_sampled(void)
{
    char release[64];
    unsigned major, minor;
    return jst_file_text("/proc/sys/kernel", "osrelease", release, sizeof release) == JST_THERE &&
           sscanf(release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 17));
}

static uint64_t read_first(const char *path, jst_numbers *n)
{
    char folder[JST_PATH];
    uint64_t there = 0;
    if (controller(folder, "cpuacct cpu,cpuacct cpuacct,cpu", path)) {
        there = identity(folder);
        if (!ticks_are_sampled()) {
            take_file(n, JST_CPU_USER_NS, folder, "cpuacct.usage_user");
            take_file(n, JST_CPU_SYSTEM_NS, folder, "cpuacct.usage_sys");
        }
        if (!n->is[JST_CPU_USER_NS] &&
            jst_file_text(folder, "cpuacct.stat", text, sizeof text) == JST_THERE)
            jst_cgroup_cpuacct(text, n);
    }
    if (controller(folder, "cpu cpu,cpuacct cpuacct,cpu", path) &&
        jst_file_text(folder, "cpu.stat", text, sizeof text) == JST_THERE)
        jst_cgroup_cpu(text, n);
    if (controller(folder, "memory", path)) {
        there = identity(folder);
        take_memory(n, folder, "memory.usage_in_bytes", "memory.limit_in_bytes");
        take_key(n, JST_MEMORY_OOM_OPS, folder, "memory.oom_control", "oom_kill");
    }
    if (controller(folder, "blkio", path)) {
        if (jst_file_text(folder, "blkio.throttle.io_service_bytes_recursive", text, sizeof text) ==
            JST_THERE)
            jst_cgroup_blkio(text, level_of, JST_STORAGE_READ_BYTES, JST_STORAGE_WRITE_BYTES, n);
        if (jst_file_text(folder, "blkio.throttle.io_serviced_recursive", text, sizeof text) ==
            JST_THERE)
            jst_cgroup_blkio(text, level_of, JST_STORAGE_READ_OPS, JST_STORAGE_WRITE_OPS, n);
    }
    if (controller(folder, "pids", path))
        take_file(n, JST_TASKS_COUNT, folder, "pids.current");
    if (controller(folder, "cpuset", path))
        take_cores(n, folder, "cpuset.cpus");
    return there;
}

/* ---- the source ---- */

static void report_group(void *sample, const jst_group *g)
{
    jst_numbers n;
    memset(&n, 0, sizeof n);
    uint64_t id = g->version == 2 ? read_second(g->path, &n) : read_first(g->path, &n);
    if (!id)
        return; /* gone, between the listing and now */
    jst_component *c = jst_component_of(sample, &(jst_names){.kind = JST_KIND_BATCH_JOB,
                                                             .name = g->name,
                                                             .job = g->job,
                                                             .from_zero = !g->old});
    jst_since(c, id); /* a job that runs again has a new group of the same name */
    for (int i = 0; i < JST_COMPONENT_METRICS; i++) {
        enum jst_component_metric m = (enum jst_component_metric)i;
        if (n.is[i] == JST_NUMBER_UNKNOWN)
            jst_unknown(c, m);
        else if (n.is[i] == JST_NUMBER_KNOWN && jst_component_code[i] == 'G')
            jst_level(c, m, n.of[i]);
        else if (n.is[i] == JST_NUMBER_KNOWN)
            jst_counter(c, m, n.of[i]);
    }
}

static const char *open_groups(void)
{
    return jst_each_group(NULL, NULL) >= 0 ? NULL : "no control groups";
}

static const char *sample_groups(jst_sample *s)
{
    n_devices = 0;
    return jst_each_group(report_group, s) >= 0 ? NULL : "the control groups are gone";
}

const jst_source jst_source_batch_jobs = {
    .name = "batch jobs", .open = open_groups, .sample = sample_groups};
