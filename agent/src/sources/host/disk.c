/* disk.c: samples block devices: /proc/diskstats.
 *
 * A line has 14 columns, 18 since Linux 4.18 (discards) and 20 since 5.5 (flushes). Partitions are left
 * out: their disk has their numbers. Mapped and RAID devices (dm-, md) are kept in addition to the
 * disks below them. Devices that never transferred anything are left out, such as unused loop and
 * RAM disks.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "numbers.h"
#include "source.h"
#include "system.h"

#define SECTOR 512

/* Columns after the name. */
enum {
    READS,
    READ_SECTORS = 2,
    READ_MS,
    WRITES,
    WRITE_SECTORS = 6,
    WRITE_MS,
    QUEUED,
    BUSY_MS,
    WAIT_MS,
    DISCARDS,
    FLUSHES = 15,
    FLUSH_MS,
    COLUMNS
};

static char text[2 * 1024 * 1024];

/* The kernel shows times as 32 bits of milliseconds: the time of requests of a busy disk begins again every
 * few days. */
static void count_ms(jst_component *c, enum jst_component_metric metric, uint64_t ms)
{
    const uint64_t most = (UINT64_C(1) << 32) * JST_MS_NS - 1;
    if (ms >> 32)
        jst_unknown(c, metric);
    else
        jst_counter_wraps(c, metric, ms * JST_MS_NS, most);
}

static void report(jst_sample *s, const char *name, uint32_t major, uint32_t minor,
                   const uint64_t *v, unsigned n)
{
    jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_DISK,
                                                        .name = name,
                                                        .major = major,
                                                        .minor = minor,
                                                        .from_zero = true});
    uint64_t requests = v[READS] + v[WRITES];
    jst_counter(c, JST_STORAGE_READ_OPS, v[READS]);
    jst_counter(c, JST_STORAGE_READ_BYTES, v[READ_SECTORS] * SECTOR);
    count_ms(c, JST_STORAGE_READ_NS, v[READ_MS]);
    jst_counter(c, JST_STORAGE_WRITE_OPS, v[WRITES]);
    jst_counter(c, JST_STORAGE_WRITE_BYTES, v[WRITE_SECTORS] * SECTOR);
    count_ms(c, JST_STORAGE_WRITE_NS, v[WRITE_MS]);
    jst_level(c, JST_STORAGE_QUEUED, v[QUEUED]);
    count_ms(c, JST_STORAGE_BUSY_NS, v[BUSY_MS]);
    count_ms(c, JST_STORAGE_WAIT_NS, v[WAIT_MS]);
    if (n > DISCARDS)
        requests += v[DISCARDS];
    if (n > FLUSH_MS) {
        requests += v[FLUSHES];
        jst_counter(c, JST_STORAGE_SYNC_OPS, v[FLUSHES]);
        count_ms(c, JST_STORAGE_SYNC_NS, v[FLUSH_MS]);
    }
    jst_counter(c, JST_STORAGE_WAIT_OPS, requests);
}

/* Whole devices have a folder in /sys/block, where a slash in the name is an exclamation mark. */
static bool is_whole(const char *name)
{
    char path[768];
    int n = snprintf(path, sizeof path, "%s/sys/block/", jst_root);
    if (n < 0 || (size_t)n + strlen(name) >= sizeof path)
        return false;
    for (const char *p = name; *p; p++)
        path[n++] = *p == '/' ? '!' : *p;
    path[n] = 0;
    return access(path, F_OK) == 0;
}

/* False: no kernel writes such a line. */
static bool parse_disks(jst_sample *s, const char *from, bool (*wanted)(const char *name))
{
    bool sound = true;
    for (const char *line = from; line && *line; line = jst_next_line(line)) {
        unsigned major, minor;
        char name[64];
        int at = 0;
        uint64_t v[COLUMNS];
        if (!strchr(line, '\n')) /* incomplete */
            return false;
        if (sscanf(line, "%u %u %63s%n", &major, &minor, name, &at) != 3 || at == 0) {
            sound = false;
            continue;
        }
        unsigned n = jst_line_numbers(line + at, v, COLUMNS);
        if (n <= WAIT_MS)
            sound = false;
        else if ((v[READS] || v[WRITES]) && wanted(name))
            report(s, name, major, minor, v, n);
    }
    return sound;
}

static const char *open_disks(void)
{
    long n = jst_read_text("/proc/diskstats", text, sizeof text);
    return n > 0 ? NULL : n == 0 ? "no block device" : "/proc/diskstats cannot be read";
}

static const char *sample_disks(jst_sample *s)
{
    if (jst_read_text("/proc/diskstats", text, sizeof text) < 0)
        return "/proc/diskstats cannot be read";
    return parse_disks(s, text, is_whole) ? NULL : "/proc/diskstats has lines of an unknown form";
}

const jst_source jst_source_disk = {.name = "disk", .open = open_disks, .sample = sample_disks};
