/* gpfs.c: samples the mounts of GPFS (Storage Scale), and the disks that this machine serves to
 * others, by mmpmon.
 *
 * A node may have five mmpmon, so this one is kept running. It has no mark at the end of an answer:
 * after the requests comes io_s, whose answer is one line. A request that mmpmon does not know ends
 * it; an old one that ends at nsd_ds does not get it again.
 */
#include "gpfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "gpfs_text.h"
#include "mounts.h"

#define MMPMON "/usr/lpp/mmfs/bin/mmpmon"
#define PARTS 512 /* file systems and disks of one machine */

static char *const arguments[] = {MMPMON, "-p", "-s", NULL};
static jst_child mmpmon = {.arguments = arguments};
static int deadline_ms = 30000;
static bool has_disks = true, has_answered;

static char received[262144];

/* The content of the last answer. */
static struct {
    enum jst_component_kind kind;
    uint32_t metrics;
    char name[JST_GPFS_NAME];
} parts[PARTS];
static int count;

typedef struct sampling {
    jst_sample *s;
    const char *said;
} sampling;

typedef struct place {
    const char *file_system;
    char source[JST_MOUNT_TEXT], path[JST_MOUNT_TEXT];
} place;

/* "/dev/scratch" or "scratch", by version. */
static void take_mount(void *to, const char *source, const char *path)
{
    place *p = to;
    const char *name = strrchr(source, '/');
    if (p->source[0] || strcmp(name ? name + 1 : source, p->file_system) != 0)
        return;
    snprintf(p->source, sizeof p->source, "%s", source);
    snprintf(p->path, sizeof p->path, "%s", path);
}

static bool is_new(const jst_gpfs_part *part)
{
    for (int i = 0; i < count; i++)
        if (parts[i].kind == part->kind && !strcmp(parts[i].name, part->name))
            return false;
    return true;
}

static void report(void *to, const jst_gpfs_part *part)
{
    sampling *now = to;
    place p = {.file_system = part->name};
    if (!is_new(part) || count == PARTS) {
        now->said =
            "two clusters' GPFS file systems have one name, or there are too many: some are "
            "left out";
        return;
    }
    if (part->kind == JST_KIND_GPFS_MOUNT) {
        jst_mounts("gpfs", take_mount, &p);
        if (!p.source[0])
            snprintf(p.source, sizeof p.source, "%s", part->name);
    }
    jst_component *c = jst_component_of(
        now->s,
        &(jst_names){.kind = part->kind, .name = part->name, .source = p.source, .path = p.path});
    for (unsigned m = 0; m < JST_GPFS_CELLS; m++) {
        if (part->known >> m & 1)
            jst_counter(c, (enum jst_component_metric)m, part->value[m]);
        else if (part->unknown >> m & 1)
            jst_unknown(c, (enum jst_component_metric)m);
    }
    parts[count].kind = part->kind;
    parts[count].metrics = part->known | part->unknown;
    snprintf(parts[count++].name, JST_GPFS_NAME, "%s", part->name);
}

/* Without an answer their numbers are unknown, not 0. */
static const char *no_answer(jst_sample *s, const char *why)
{
    for (int i = 0; i < count; i++) {
        jst_component *c =
            jst_component_of(s, &(jst_names){.kind = parts[i].kind, .name = parts[i].name});
        for (unsigned m = 0; m < JST_GPFS_CELLS; m++)
            if (parts[i].metrics >> m & 1)
                jst_unknown(c, (enum jst_component_metric)m);
    }
    return why;
}

static const char *open_gpfs(void)
{
    return jst_child_there(&mmpmon) ? NULL : "no GPFS (" MMPMON ")";
}

static long ask(void)
{
    const char *request = has_disks ? "fs_io_s\nnsd_ds\nio_s\n" : "fs_io_s\nio_s\n";
    return jst_child_ask(&mmpmon, request, received, sizeof received, deadline_ms,
                         jst_gpfs_is_whole);
}

static const char *sample_gpfs(jst_sample *s)
{
    sampling now = {.s = s};
    jst_gpfs_codes codes;
    long n = ask();
    if (n == -EPIPE && has_disks && !has_answered) {
        has_disks = false;
        jst_child_no_pause(&mmpmon);
        n = ask();
    }
    if (n == -ETIMEDOUT)
        return no_answer(s, "mmpmon did not answer");
    if (n < 0)
        return no_answer(s, "mmpmon ended, or could not be started");
    has_answered = true;
    count = 0;
    jst_gpfs_answer(received, (size_t)n, &codes, report, &now);
    if (now.said)
        return now.said;
    if (codes.mounts == 1 && codes.disks != 0)
        return "no GPFS file system is mounted here, or its counters are not enabled (_rc_ 1)";
    return codes.mounts > 1 ? "mmpmon refuses fs_io_s" : NULL;
}

const jst_source jst_source_gpfs = {
    .name = "gpfs", .program = MMPMON, .open = open_gpfs, .sample = sample_gpfs};
