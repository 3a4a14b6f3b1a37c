/* lustre_client.c: samples a Lustre client: its mounts (llite), and its requests to each OST (osc)
 * and MDT (mdc).
 *
 * The entries of one mount end in the same instance: scratch-ffff8800b8e5a000 is a mount, and
 * scratch-OST0003-osc-ffff8800b8e5a000 its requests to an OST. An instance is new after each mount, so
 * it becomes a part of names only where a file system is mounted more than once.
 */
#include "lustre.h"
#include "mounts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOUNTS 64

/* A file system that is mounted, by its name in Lustre. */
typedef struct mounted {
    char name[JST_NAME];
    char source[JST_MOUNT_TEXT], path[JST_MOUNT_TEXT];
    int instances;
} mounted;

typedef struct sampling {
    jst_sample *s;
    int mounts;
    mounted of[MOUNTS];
    bool torn;
} sampling;

static sampling now;

static mounted *find(const char *name, size_t n)
{
    for (int i = 0; i < now.mounts; i++)
        if (strlen(now.of[i].name) == n && !memcmp(now.of[i].name, name, n))
            return &now.of[i];
    return NULL;
}

/* An entry of llite: scratch-ffff8800b8e5a000. */
static void count_instance(void *to, const char *entry, int fd)
{
    (void)to;
    (void)fd;
    const char *dash = strrchr(entry, '-');
    if (!dash || dash == entry)
        return;
    mounted *m = find(entry, (size_t)(dash - entry));
    if (!m) {
        if (now.mounts == MOUNTS)
            return;
        m = &now.of[now.mounts++];
        memset(m, 0, sizeof *m);
        snprintf(m->name, sizeof m->name, "%.*s", (int)(dash - entry), entry);
    }
    m->instances++;
}

/* "10.0.0.1@tcp:/scratch/home": a mount of the file system "scratch". A target is mounted too, on its
 * server, but its source is a device. */
static void take_mount(void *to, const char *source, const char *path)
{
    (void)to;
    const char *name = strstr(source, ":/");
    if (!name)
        return;
    name += 2;
    mounted *m = find(name, strcspn(name, "/"));
    if (!m || m->source[0])
        return; /* the first is the mount; others are binds of it, or cannot be distinguished */
    snprintf(m->source, sizeof m->source, "%s", source);
    if (m->instances == 1)
        snprintf(m->path, sizeof m->path, "%s", path);
}

static void report(enum jst_component_kind kind, const char *name, const mounted *m, int fd,
                   bool waits)
{
    jst_lustre_totals t;
    jst_lustre_read(fd, &t);
    jst_component *c = jst_component_of(
        now.s, &(jst_names){.kind = kind,
                            .name = name,
                            .source = m->source[0] ? m->source : m->name,
                            .path = kind == JST_KIND_LUSTRE_MOUNT ? m->path : NULL});
    jst_lustre_report(c, &t, waits);
    now.torn = now.torn || t.torn;
}

static void sample_mount(void *to, const char *entry, int fd)
{
    (void)to;
    const char *dash = strrchr(entry, '-');
    const mounted *m = dash ? find(entry, (size_t)(dash - entry)) : NULL;
    if (m)
        report(JST_KIND_LUSTRE_MOUNT, m->instances == 1 ? m->name : entry, m, fd, false);
}

/* An entry of osc or mdc: scratch-OST0003-osc-ffff8800b8e5a000. */
static void sample_requests(void *to, const char *entry, int fd)
{
    const enum jst_component_kind *kind = to;
    const char *part = *kind == JST_KIND_LUSTRE_OSC ? "-osc-" : "-mdc-", *end = NULL;
    char target[JST_NAME], file_system[JST_NAME];
    for (const char *p = strstr(entry, part); p; p = strstr(p + 1, part))
        end = p;
    if (!end || !strncmp(end + 5, "MDT", 3)) /* those are an MDT's own requests */
        return;
    snprintf(target, sizeof target, "%.*s", (int)(end - entry), entry);
    if (!jst_lustre_file_system(target, file_system))
        return;
    const mounted *m = find(file_system, strlen(file_system));
    if (m)
        report(*kind, m->instances == 1 ? target : entry, m, fd, true);
}

static const char *open_client(void)
{
    return jst_lustre_missing("llite", "stats", "no Lustre mount");
}

static const char *sample_client(jst_sample *s)
{
    enum jst_component_kind osc = JST_KIND_LUSTRE_OSC, mdc = JST_KIND_LUSTRE_MDC;
    now.s = s;
    now.mounts = 0;
    now.torn = false;
    if (jst_lustre_each("llite", "stats", count_instance, NULL) == -EACCES)
        return JST_LUSTRE_ROOT_ONLY;
    jst_mounts("lustre", take_mount, NULL);
    jst_lustre_each("llite", "stats", sample_mount, NULL);
    jst_lustre_each("osc", "stats", sample_requests, &osc);
    jst_lustre_each("mdc", "stats", sample_requests, &mdc);
    return now.torn ? "the statistics of a Lustre mount were torn" : NULL;
}

const jst_source jst_source_lustre_client = {
    .name = "lustre client", .open = open_client, .sample = sample_client};
