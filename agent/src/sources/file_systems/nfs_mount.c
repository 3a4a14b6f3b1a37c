/* nfs_mount.c: samples NFS mounts on their client: /proc/self/mountstats.
 *
 * The numbers are the kernel's own: the mount and its server are never queried (no statfs), so a
 * dead server does not block us. A mount's lines list all of its operations, each with 8 numbers
 * and, since Linux 5.3, a ninth: errors. There may be several lines of the transport (nconnect),
 * with as many numbers as its kind has; they are not used.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "numbers.h"
#include "system.h"

#define PLACES 512
#define TEXT 512
#define LOOK_S 300

/* Numbers of an operation, after its name. */
enum { OPS, SENDS, TIMEOUTS, QUEUE_MS = 5, TOTAL_MS = 7, ERRORS, COLUMNS };

/* Where a mount is, as in /proc/self/mountinfo. */
typedef struct place {
    uint32_t hash; /* of its path, as it is spelled there */
    uint32_t major, minor;
    bool reported; /* in this sample: mounts of one file system share their numbers */
} place;

/* What has been read of a mount. */
typedef struct mount {
    jst_sample *s;
    bool is_nfs, has_ops, has_bytes;
    uint32_t hash;
    char source[TEXT], path[TEXT];
    uint64_t sum[JST_COMPONENT_METRICS];
    uint64_t seen, bad; /* sets of metrics: in sum; with an impossible number */
} mount;

static place places[PLACES];
static unsigned place_count;
static bool complete; /* all mounts had places */
static time_t looked;
static mount current;

#define BIT(m) (UINT64_C(1) << (m))

static uint32_t hash_of(const char *text, size_t n)
{
    uint32_t hash = 0x811c9dc5u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x01000193u;
    return hash;
}

/* Numbers above are negative ones: times of operations under way when a clock was set. */
static void add(mount *m, enum jst_component_metric metric, uint64_t v, uint64_t unit)
{
    if (v > INT64_MAX / unit)
        m->bad |= BIT(metric);
    else
        m->sum[metric] += v * unit;
    m->seen |= BIT(metric);
}

/* ---- finding mounts ---- */

/* `36 35 0:52 / /mnt rw,relatime shared:1 - nfs4 SRV:/export rw,...` */
static void parse_mountinfo(const char *line, void *with)
{
    unsigned major, minor;
    int at = 0, end = 0;
    (void)with;
    const char *type = strstr(line, " - ");
    if (!type || (strncmp(type, " - nfs ", 7) != 0 && strncmp(type, " - nfs4 ", 8) != 0) ||
        place_count == PLACES)
        return;
    if (sscanf(line, "%*u %*u %u:%u %*s %n%*s%n", &major, &minor, &at, &end) != 2 || end <= at)
        return;
    places[place_count++] = (place){.hash = hash_of(line + at, (size_t)(end - at)),
                                    .major = major,
                                    .minor = minor,
                                    .reported = false};
}

static void find_places(void)
{
    place_count = 0;
    jst_each_line("/proc/self/mountinfo", parse_mountinfo, NULL);
}

/* The newest of those at the path: it hides the others. */
static place *place_of(uint32_t hash)
{
    for (unsigned i = place_count; i-- > 0;)
        if (places[i].hash == hash)
            return &places[i];
    return NULL;
}

static bool is_reported(const place *p)
{
    for (unsigned i = 0; i < place_count; i++)
        if (places[i].reported && places[i].major == p->major && places[i].minor == p->minor)
            return true;
    return false;
}

/* ---- their numbers ---- */

static void report(mount *m)
{
    static const enum jst_component_metric metrics[] = {
        JST_STORAGE_READ_BYTES,  JST_STORAGE_READ_OPS,  JST_STORAGE_READ_NS,
        JST_STORAGE_WRITE_BYTES, JST_STORAGE_WRITE_OPS, JST_STORAGE_WRITE_NS,
        JST_STORAGE_META_OPS,    JST_STORAGE_META_NS,   JST_STORAGE_SYNC_OPS,
        JST_STORAGE_SYNC_NS,     JST_STORAGE_WAIT_NS,   JST_STORAGE_WAIT_OPS,
        JST_STORAGE_QUEUE_NS,    JST_STORAGE_RETRY_OPS, JST_STORAGE_ERROR_OPS};
    place *p = place_of(m->hash);
    if (!m->is_nfs || !m->has_ops || !m->has_bytes)
        return;
    complete = complete && p;
    if (p && is_reported(p))
        return;
    if (p)
        p->reported = true;
    jst_component *c = jst_component_of(m->s, &(jst_names){.kind = JST_KIND_NFS_MOUNT,
                                                           .name = m->path,
                                                           .source = m->source,
                                                           .path = m->path,
                                                           .major = p ? p->major : 0,
                                                           .minor = p ? p->minor : 0});
    for (unsigned i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (m->bad & BIT(metrics[i]))
            jst_unknown(c, metrics[i]);
        else if (m->seen & BIT(metrics[i]))
            jst_counter(c, metrics[i], m->sum[metrics[i]]);
}

/* Blanks and similar characters are written as a backslash and three octal digits. */
static void unescape(char *to, const char *from, size_t n)
{
    size_t have = 0;
    for (size_t i = 0; i < n && have < TEXT - 1; i++) {
        bool octal = from[i] == '\\' && i + 3 < n;
        for (size_t k = 1; octal && k <= 3; k++)
            octal = from[i + k] >= '0' && from[i + k] <= '7';
        if (octal) {
            to[have++] =
                (char)((from[i + 1] - '0') << 6 | (from[i + 2] - '0') << 3 | (from[i + 3] - '0'));
            i += 3;
        } else {
            to[have++] = from[i];
        }
    }
    to[have] = 0;
}

/* `device SRV:/PATH mounted on /MNT with fstype nfs4 statvers=1.1` */
static void begin_mount(mount *m, const char *line)
{
    static const char on[] = " mounted on ", with[] = " with fstype ";
    const char *source = line + strlen("device "), *path = strstr(source, on);
    const char *type = path ? strstr(path + sizeof on - 1, with) : NULL;
    jst_sample *s = m->s;
    *m = (mount){.s = s};
    if (!type)
        return;
    path += sizeof on - 1;
    m->is_nfs = strncmp(type + sizeof with - 1, "nfs ", 4) == 0 ||
                strncmp(type + sizeof with - 1, "nfs4 ", 5) == 0;
    m->hash = hash_of(path, (size_t)(type - path));
    unescape(m->source, source, (size_t)(path - source) - (sizeof on - 1));
    unescape(m->path, path, (size_t)(type - path));
}

static void add_operation(mount *m, const char *name, size_t length, const uint64_t *v, unsigned n)
{
    bool reads = length == 4 && strncmp(name, "READ", 4) == 0;
    bool writes = length == 5 && strncmp(name, "WRITE", 5) == 0;
    bool syncs = length == 6 && strncmp(name, "COMMIT", 6) == 0;
    enum jst_component_metric ops = reads    ? JST_STORAGE_READ_OPS
                                    : writes ? JST_STORAGE_WRITE_OPS
                                    : syncs  ? JST_STORAGE_SYNC_OPS
                                             : JST_STORAGE_META_OPS;
    enum jst_component_metric ns = reads    ? JST_STORAGE_READ_NS
                                   : writes ? JST_STORAGE_WRITE_NS
                                   : syncs  ? JST_STORAGE_SYNC_NS
                                            : JST_STORAGE_META_NS;
    add(m, ops, v[OPS], 1);
    add(m, ns, v[TOTAL_MS], JST_MS_NS);
    add(m, JST_STORAGE_WAIT_OPS, v[OPS], 1);
    add(m, JST_STORAGE_WAIT_NS, v[TOTAL_MS], JST_MS_NS);
    add(m, JST_STORAGE_QUEUE_NS, v[QUEUE_MS], JST_MS_NS);
    add(m, JST_STORAGE_RETRY_OPS, v[TIMEOUTS], 1);
    if (v[SENDS] > v[OPS])
        add(m, JST_STORAGE_RETRY_OPS, v[SENDS] - v[OPS], 1);
    if (n > ERRORS)
        add(m, JST_STORAGE_ERROR_OPS, v[ERRORS], 1);
}

static void parse_line(const char *line, void *with)
{
    mount *m = with;
    uint64_t v[COLUMNS];
    if (strncmp(line, "device ", 7) == 0) {
        report(m);
        begin_mount(m, line);
        return;
    }
    if (!m->is_nfs)
        return;
    while (*line == ' ' || *line == '\t')
        line++;
    if (strncmp(line, "bytes:", 6) == 0 && jst_line_numbers(line + 6, v, 6) == 6) {
        add(m, JST_STORAGE_READ_BYTES, v[4], 1); /* from the server */
        add(m, JST_STORAGE_WRITE_BYTES, v[5], 1);
        m->has_bytes = true;
    } else if (strncmp(line, "per-op statistics", 17) == 0) {
        m->has_ops = true;
    } else if (m->has_ops) {
        size_t length = strcspn(line, ":");
        unsigned n = line[length] ? jst_line_numbers(line + length + 1, v, COLUMNS) : 0;
        if (n > TOTAL_MS && strncmp(line, "NULL:", 5) != 0)
            add_operation(m, line, length, v, n);
    }
}

static const char *open_mounts(void)
{
    looked = 0;
    find_places();
    return place_count ? NULL : "no NFS mount";
}

static const char *sample_mounts(jst_sample *s)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!complete || !looked || now.tv_sec - looked >= LOOK_S) {
        looked = now.tv_sec + !now.tv_sec;
        find_places();
    }
    for (unsigned i = 0; i < place_count; i++)
        places[i].reported = false;
    complete = true;
    current = (mount){.s = s};
    long r = jst_each_line("/proc/self/mountstats", parse_line, &current);
    report(&current);
    return r < 0 ? "/proc/self/mountstats cannot be read" : NULL;
}

const jst_source jst_source_nfs_mount = {
    .name = "NFS mounts", .open = open_mounts, .sample = sample_mounts};
