/* cgroup_text.c: parses the files of a control group. */
#include <string.h>
#include <unistd.h>

#include "cgroup.h"

void jst_take(jst_numbers *n, enum jst_component_metric metric, jst_found found, uint64_t number,
              uint64_t unit)
{
    if (found == JST_ABSENT)
        return;
    if (found == JST_BAD || __builtin_mul_overflow(number, unit, &number)) {
        n->is[metric] = JST_NUMBER_UNKNOWN;
    } else {
        n->is[metric] = JST_NUMBER_KNOWN;
        n->of[metric] = number;
    }
}

static void take_key(jst_numbers *n, enum jst_component_metric metric, const char *text,
                     const char *key, uint64_t unit)
{
    uint64_t number = 0;
    jst_found found = jst_scan_key(text, key, &number);
    jst_take(n, metric, found, number, unit);
}

void jst_cgroup_cpu(const char *text, jst_numbers *n)
{
    take_key(n, JST_CPU_USER_NS, text, "user_usec", 1000);
    take_key(n, JST_CPU_SYSTEM_NS, text, "system_usec", 1000);
    take_key(n, JST_CPU_QUOTA_NS, text, "throttled_usec", 1000);
    take_key(n, JST_CPU_QUOTA_NS, text, "throttled_time", 1); /* version 1 */
}

void jst_cgroup_cpuacct(const char *text, jst_numbers *n)
{
    uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    take_key(n, JST_CPU_USER_NS, text, "user", tick);
    take_key(n, JST_CPU_SYSTEM_NS, text, "system", tick);
}

uint64_t jst_cgroup_reclaimable(const char *text)
{
    static const char *const keys[][3] = {
        {"inactive_file", "active_file", "slab_reclaimable"},
        {"total_inactive_file", "total_active_file", ""},
    };
    uint64_t sum = 0, number;
    /* Version 1 has the keys of version 2 too: of the group without its steps. */
    bool first = jst_scan_key(text, keys[1][0], &number) != JST_ABSENT;
    for (unsigned i = 0; i < 3; i++)
        if (jst_scan_key(text, keys[first][i], &number) == JST_THERE &&
            __builtin_add_overflow(sum, number, &sum))
            return UINT64_MAX;
    return sum;
}

jst_found jst_cgroup_limit(const char *text, uint64_t *bytes)
{
    if (!strncmp(text, "max", 3))
        return JST_ABSENT;
    if (!jst_scan_number(text, bytes, NULL))
        return JST_BAD;
    return *bytes >= UINT64_C(1) << 60 ? JST_ABSENT : JST_THERE; /* "none" in version 1 */
}

jst_found jst_cgroup_pressure(const char *text, const char *which, uint64_t *ns)
{
    size_t n = strlen(which);
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *total = strstr(text, " total=");
        if (strncmp(text, which, n) != 0 || text[n] != ' ')
            continue;
        if (!total || total > end || !jst_scan_number(total + 7, ns, &total) || total != end ||
            __builtin_mul_overflow(*ns, 1000, ns))
            return JST_BAD;
        return JST_THERE;
    }
    return JST_ABSENT;
}

/* ---- bytes and requests by device ---- */

enum { READ_BYTES, WRITE_BYTES, READ_OPS, WRITE_OPS, IO };

struct io {
    uint64_t sum[2][IO]; /* of disks, of what is stacked on them */
    bool bad;
};

static void io_add(struct io *io, int level, int what, uint64_t number)
{
    if (level != JST_DEVICE_SKIP &&
        __builtin_add_overflow(io->sum[level][what], number, &io->sum[level][what]))
        io->bad = true;
}

static void io_take(const struct io *io, int what, enum jst_component_metric metric, jst_numbers *n)
{
    /* Traffic through LVM or dm-crypt is counted there and on the disk, traffic through md's
     * stripes there only. The larger of the two is all of it. */
    uint64_t disks = io->sum[JST_DEVICE_DISK][what], stacked = io->sum[JST_DEVICE_STACKED][what];
    jst_take(n, metric, io->bad ? JST_BAD : JST_THERE, disks > stacked ? disks : stacked, 1);
}

/* `8:16`, or `(unknown)` for a device that has no name: a disk. -1: no device. */
static int device_level(const char *word, const char *end, int (*level)(uint32_t, uint32_t))
{
    uint64_t major, minor;
    if (!strncmp(word, "(unknown)", 9))
        return JST_DEVICE_DISK;
    if (!jst_scan_number(word, &major, &word) || *word != ':' || word[1] == ' ' ||
        !jst_scan_number(word + 1, &minor, &word) || word != end || major > UINT32_MAX ||
        minor > UINT32_MAX)
        return -1;
    return level((uint32_t)major, (uint32_t)minor);
}

static void io_value(struct io *io, int level, const char *word, const char *end)
{
    static const char *const keys[IO] = {"rbytes=", "wbytes=", "rios=", "wios="};
    for (int i = 0; i < IO; i++) {
        uint64_t number;
        size_t n = strlen(keys[i]);
        if (strncmp(word, keys[i], n) != 0)
            continue;
        if (level < 0 || !jst_scan_number(word + n, &number, &word) || word != end)
            io->bad = true;
        else
            io_add(io, level, i, number);
        return;
    }
}

void jst_cgroup_io(const char *text, int (*level)(uint32_t major, uint32_t minor), jst_numbers *n)
{
    struct io io = {.bad = false};
    int now = -1; /* the device of what follows: a line may name several */
    while (*text) {
        const char *end = text + strcspn(text, " \n");
        if (*end == 0)
            io.bad = true; /* incomplete: the last number may be cut */
        else if (memchr(text, '=', (size_t)(end - text)))
            io_value(&io, now, text, end);
        else if (end > text)
            now = device_level(text, end, level);
        if (*end == '\n')
            now = -1;
        text = *end ? end + 1 : end;
    }
    io_take(&io, READ_BYTES, JST_STORAGE_READ_BYTES, n);
    io_take(&io, WRITE_BYTES, JST_STORAGE_WRITE_BYTES, n);
    io_take(&io, READ_OPS, JST_STORAGE_READ_OPS, n);
    io_take(&io, WRITE_OPS, JST_STORAGE_WRITE_OPS, n);
}

void jst_cgroup_blkio(const char *text, int (*level)(uint32_t major, uint32_t minor),
                      enum jst_component_metric reads, enum jst_component_metric writes,
                      jst_numbers *n)
{
    struct io io = {.bad = false};
    bool counted = false;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *word = text + strcspn(text, " \n");
        uint64_t number;
        int what = !strncmp(word, " Read ", 6) ? 0 : !strncmp(word, " Write ", 7) ? 1 : -1;
        int at = what < 0 ? -1 : device_level(text, word, level);
        if (at < 0) /* Sync, Async, Discard and Total count the same again */
            continue;
        if (!jst_scan_number(word + (what ? 7 : 6), &number, &word) || word != end)
            io.bad = true;
        else
            io_add(&io, at, what, number);
        counted = true;
    }
    io.bad |= *text != 0;
    /* Kernels from 6.10 count only where there is a limit: without a device's line, nothing was
     * counted. */
    if (!counted && !io.bad)
        return;
    io_take(&io, 0, reads, n);
    io_take(&io, 1, writes, n);
}
