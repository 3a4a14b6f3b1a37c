/* ceph_client.c: samples CephFS mounts of the kernel by its debugfs:
 * /sys/kernel/debug/ceph/FSID.clientID.
 *
 * Three formats: metrics/counters (counts, bytes, times), metrics/latency with metrics/size (since 5.16), and
 * before them one file `metrics` with the tables of both. The latter two have times as rounded
 * averages only, whose product with a large count has an error larger than a slice: no times are
 * computed from them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ceph.h"
#include "mounts.h"
#include "numbers.h"

#define ROOT "/sys/kernel/debug/ceph"
#define NAME 96
#define MOUNTS 64

/* The table of the lines, by its header. */
enum table { OTHER, COUNTERS, LATENCIES, SIZES };

typedef struct counts {
    uint64_t ops[3], bytes[3], ns[3]; /* read, write, metadata */
    bool has_ops[3], has_bytes[3], has_ns[3];
} counts;

typedef struct mount {
    char source[JST_MOUNT_TEXT], path[JST_MOUNT_TEXT];
} mount;

static mount mounts[MOUNTS];
static unsigned mount_count, client_count;
static jst_sample *now;
static bool unreadable;

static enum table table_of(const char *line)
{
    return strstr(line, "wait_ns")   ? COUNTERS
           : strstr(line, "avg_lat") ? LATENCIES
           : strstr(line, "avg_sz")  ? SIZES
                                     : OTHER;
}

/* read          12          250             100             900             30 */
static void take_row(counts *c, enum table table, unsigned what, const char *numbers)
{
    uint64_t n[5];
    unsigned have = jst_line_numbers(numbers, n, 5);
    if (table == COUNTERS && have >= 3) {
        c->ops[what] = n[0];
        c->bytes[what] = n[1];
        c->ns[what] = n[2];
        c->has_ops[what] = c->has_ns[what] = true;
        c->has_bytes[what] = what < 2;
    } else if (table == LATENCIES && have >= 4) {
        c->ops[what] = n[0];
        c->has_ops[what] = true;
    } else if (table == SIZES && have == 5 && what < 2) {
        c->bytes[what] = n[4];
        c->has_bytes[what] = true;
    }
}

/* All tables of a text. A last line without its end is left out: it may be cut. */
static void parse(counts *c, const char *text)
{
    static const char *const rows[] = {"read ", "write ", "metadata "};
    enum table table = OTHER;
    for (const char *line = text; line && *line; line = jst_next_line(line)) {
        char one[160];
        size_t n = strcspn(line, "\n");
        if (!line[n] || n >= sizeof one)
            continue;
        memcpy(one, line, n);
        one[n] = 0;
        if (strncmp(one, "item ", 5) == 0)
            table = table_of(one);
        for (unsigned i = 0; i < 3; i++)
            if (strncmp(one, rows[i], strlen(rows[i])) == 0)
                take_row(c, table, i, one + strlen(rows[i]));
    }
}

static bool read_into(counts *c, const char *client, const char *file)
{
    static char text[8192];
    char path[256];
    snprintf(path, sizeof path, ROOT "/%s/%s", client, file);
    long n = jst_read_text(path, text, sizeof text);
    unreadable = unreadable || n == -EACCES || n == -EFBIG;
    if (n > 0)
        parse(c, text);
    return n > 0;
}

static void put(jst_component *c, bool has, enum jst_component_metric metric, uint64_t number)
{
    if (has)
        jst_counter(c, metric, number);
}

static void report(jst_component *to, const counts *c)
{
    put(to, c->has_ops[0], JST_STORAGE_READ_OPS, c->ops[0]);
    put(to, c->has_bytes[0], JST_STORAGE_READ_BYTES, c->bytes[0]);
    put(to, c->has_ns[0], JST_STORAGE_READ_NS, c->ns[0]);
    put(to, c->has_ops[1], JST_STORAGE_WRITE_OPS, c->ops[1]);
    put(to, c->has_bytes[1], JST_STORAGE_WRITE_BYTES, c->bytes[1]);
    put(to, c->has_ns[1], JST_STORAGE_WRITE_NS, c->ns[1]);
    put(to, c->has_ops[2], JST_STORAGE_META_OPS, c->ops[2]);
    put(to, c->has_ns[2], JST_STORAGE_META_NS, c->ns[2]);
}

/* ---- mounts ---- */

static void take_mount(void *to, const char *source, const char *path)
{
    (void)to;
    if (mount_count == MOUNTS)
        return;
    snprintf(mounts[mount_count].source, JST_MOUNT_TEXT, "%s", source);
    snprintf(mounts[mount_count++].path, JST_MOUNT_TEXT, "%s", path);
}

/* The mount of a client: the only one whose source (user@FSID.name=/path) names the cluster, or the
 * only one at all. Otherwise they cannot be assigned: NULL. */
static const mount *mount_of(const char *fsid)
{
    const mount *found = NULL;
    for (unsigned i = 0; i < mount_count; i++)
        if (strstr(mounts[i].source, fsid)) {
            if (found)
                return NULL;
            found = &mounts[i];
        }
    return found ? found : mount_count == 1 && client_count == 1 ? &mounts[0] : NULL;
}

static void count_client(const char *name, void *with)
{
    (void)with;
    client_count += strstr(name, ".client") != NULL;
}

static void sample_one(const char *name, void *with)
{
    (void)with;
    char fsid[NAME];
    counts c = {{0}, {0}, {0}, {0}, {0}, {0}};
    const char *client = strstr(name, ".client");
    if (!client || strlen(name) >= NAME)
        return;
    snprintf(fsid, sizeof fsid, "%.*s", (int)(client - name), name);
    if (!read_into(&c, name, "metrics/counters") && !read_into(&c, name, "metrics/latency"))
        read_into(&c, name, "metrics");
    else if (!c.has_ns[0])
        read_into(&c, name, "metrics/size");
    const mount *m = mount_of(fsid);
    report(jst_component_of(now, &(jst_names){.kind = JST_KIND_CEPH_MOUNT,
                                              .name = client + 1,
                                              .source = m ? m->source : fsid,
                                              .path = m ? m->path : NULL}),
           &c);
}

static const char *open_client(void)
{
    mount_count = client_count = 0;
    long r = jst_each_name(ROOT, count_client, NULL);
    jst_mounts("ceph", take_mount, NULL);
    if (client_count)
        return NULL;
    return mount_count && r == -EACCES ? "only root may read a CephFS mount's counters (debugfs)"
           : mount_count ? "this kernel shows no counters of its CephFS mounts (debugfs)"
                         : "no CephFS mount of the kernel";
}

static const char *sample_client(jst_sample *s)
{
    now = s;
    mount_count = client_count = 0;
    unreadable = false;
    jst_mounts("ceph", take_mount, NULL);
    jst_each_name(ROOT, count_client, NULL);
    jst_each_name(ROOT, sample_one, NULL);
    return unreadable ? "the counters of a CephFS mount cannot be read" : NULL;
}

const jst_source jst_source_ceph_client = {
    .name = "ceph client", .open = open_client, .sample = sample_client};
