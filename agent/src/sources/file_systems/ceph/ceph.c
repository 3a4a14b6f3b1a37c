/* ceph.c: samples Ceph's daemons on this host by their admin sockets: object servers, metadata
 * servers with their clients, and clients in user space (ceph-fuse).
 *
 * All daemons are queried at the same time, and their answers read for a part of a slice: one that
 * hangs is unknown for this slice, and delays none of the others. It is queried again after a time
 * that doubles, up to half a minute. No key is needed, and no program is started.
 */
#include "ceph.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ceph_daemon.h"
#include "config.h"
#include "sys.h"

#define NS UINT64_C(1000000000)
#define DAEMONS 256
#define PATIENCE_NS NS    /* at most; two fifths of a short slice */
#define REST_NS (32 * NS) /* at most, of a daemon that hangs */
#define REST_NS_PER_BYTE                                                                           \
    10000 /* of a list of sessions: a byte takes 2 ns of CPU here, and more in the server */
#define REST_OF_A_CLIENT (30 * NS) /* until one that is no mount is queried again */

const char *jst_ceph_folder;

static jst_ceph_daemon *daemons[DAEMONS];
static unsigned daemon_count;
static jst_ceph_daemon *asked[DAEMONS];
static jst_ceph_talk *talks[DAEMONS];
static unsigned asked_count;
static bool twice, too_many, denied, wrong;

/* ---- finding daemons ---- */

static void put_folder(char *to, size_t n)
{
    if (jst_ceph_folder)
        snprintf(to, n, "%s", jst_ceph_folder);
    else
        snprintf(to, n, "%s/run/ceph", jst_root);
}

/* ceph-osd.0.asok, osd.0.asok: osd.0. NULL: not of a daemon that is queried. */
static const char *daemon_of(const char *file, enum jst_component_kind *kind)
{
    static const struct {
        const char *type;
        enum jst_component_kind kind;
    } types[] = {
        {"osd.", JST_KIND_CEPH_OSD}, {"mds.", JST_KIND_CEPH_MDS}, {"client.", JST_KIND_CEPH_MOUNT}};
    size_t n = strlen(file);
    if (n < 6 || strcmp(file + n - 5, ".asok") != 0)
        return NULL;
    for (const char *p = file; p; p = strchr(p, '-'), p = p ? p + 1 : NULL)
        for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
            if (strncmp(p, types[i].type, strlen(types[i].type)) == 0) {
                *kind = types[i].kind;
                return p;
            }
    return NULL;
}

static void forget(jst_ceph_daemon *d)
{
    free(d->loads);
    free(d);
}

/* A restarted daemon counts from 0, and so do its clients' loads. */
static void is_born(jst_ceph_daemon *d, uint64_t born)
{
    d->born = born;
    d->is_known = d->is_uninteresting = d->is_gone = d->answered = d->counting = d->has_then =
        false;
    d->failures = d->sessions = 0;
    d->again_ns = d->sessions_again_ns = 0;
    memset(&d->counts, 0, sizeof d->counts);
}

static jst_ceph_daemon *add(const char *folder, const char *file, enum jst_component_kind kind)
{
    too_many = too_many || daemon_count == DAEMONS;
    jst_ceph_daemon *d = daemon_count < DAEMONS ? calloc(1, sizeof *d) : NULL;
    if (!d)
        return NULL;
    snprintf(d->folder, sizeof d->folder, "%s", folder);
    snprintf(d->file, sizeof d->file, "%s", file);
    d->kind = kind;
    d->talk.fd = -1;
    return daemons[daemon_count++] = d;
}

/* A socket that exists, of a daemon that is known or new. */
static void meet(const char *folder, const char *file, const char *name,
                 enum jst_component_kind kind, const struct stat *s)
{
    /* It is unchanged for a socket that was only given to another user. */
    uint64_t born = (uint64_t)s->st_mtim.tv_sec * NS + (uint64_t)s->st_mtim.tv_nsec;
    int length = (int)(strlen(name) - 5);
    bool same = false;
    jst_ceph_daemon *d = NULL;
    for (unsigned i = 0; i < daemon_count && !d; i++)
        if (strcmp(daemons[i]->file, file) == 0 && strcmp(daemons[i]->folder, folder) == 0)
            d = daemons[i];
        else if ((int)strlen(daemons[i]->name) == length &&
                 !strncmp(daemons[i]->name, name, (size_t)length))
            same = true;
    twice = twice || (same && !d);
    if (!d && (same || length >= JST_CEPH_NAME || strlen(file) >= sizeof d->file))
        return;
    if (!d && !(d = add(folder, file, kind)))
        return;
    snprintf(d->name, sizeof d->name, "%.*s", length, name);
    d->present = true;
    if (d->born != born)
        is_born(d, born);
}

/* The sockets of a folder; each cluster in containers has a folder of its own below it. */
static void look_into(const char *folder, bool below)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        enum jst_component_kind kind;
        struct stat s;
        char path[256];
        const char *name = daemon_of(e->d_name, &kind);
        if (e->d_name[0] == '.' || (!name && (!below || e->d_type != DT_DIR)))
            continue;
        if (!name && (size_t)snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < sizeof path)
            look_into(path, false);
        else if (name && fstatat(dirfd(d), e->d_name, &s, 0) == 0 && S_ISSOCK(s.st_mode))
            meet(folder, e->d_name, name, kind, &s);
    }
    closedir(d);
}

static void find_daemons(void)
{
    char folder[256];
    unsigned kept = 0;
    put_folder(folder, sizeof folder);
    for (unsigned i = 0; i < daemon_count; i++)
        daemons[i]->present = false;
    twice = too_many = false;
    look_into(folder, true);
    for (unsigned i = 0; i < daemon_count; i++)
        if (daemons[i]->present)
            daemons[kept++] = daemons[i];
        else
            forget(daemons[i]);
    daemon_count = kept;
}

/* ---- queries ---- */

static void ask(jst_ceph_daemon *d, const char *question,
                void (*each)(void *to, const jst_json *j, jst_json_event event, const char *text),
                void *to)
{
    jst_json_begin(&d->talk.json, each, to);
    jst_ceph_ask(&d->talk, d->folder, d->file, question);
}

static void ask_sessions(jst_ceph_daemon *d)
{
    for (unsigned i = 0; i < d->sessions; i++) {
        d->loads[i].seen = false;
        d->loads[i].share = 0;
    }
    d->cursor = 0;
    d->too_many = false;
    d->read_ns = jst_clock_ns(CLOCK_MONOTONIC);
    d->reading = (jst_ceph_sessions){.each = jst_ceph_take_load, .to = d};
    ask(d, "{\"prefix\": \"session ls\"}", jst_ceph_take_session, &d->reading);
}

/* Sends the query of a step; false: this daemon does not get it. */
static bool ask_step(jst_ceph_daemon *d)
{
    bool mds = d->kind == JST_KIND_CEPH_MDS, osd = d->kind == JST_KIND_CEPH_OSD;
    switch (d->step) {
    case JST_STEP_FSID:
        memset(&d->who, 0, sizeof d->who);
        ask(d, "{\"prefix\": \"config get\", \"var\": \"fsid\"}", jst_ceph_take_identity, &d->who);
        return true;
    case JST_STEP_SELF:
        if (d->is_known || osd)
            return false;
        ask(d,
            mds ? "{\"prefix\": \"config get\", \"var\": \"mds_request_load_average_decay_rate\"}"
                : "{\"prefix\": \"status\"}",
            jst_ceph_take_identity, &d->who);
        return true;
    case JST_STEP_COUNTS:
        memset(&d->fresh, 0, sizeof d->fresh);
        ask(d,
            osd ? "{\"prefix\": \"perf dump\", \"logger\": \"osd\"}"
                : "{\"prefix\": \"perf dump\"}",
            jst_ceph_take_counts, &d->fresh);
        return true;
    case JST_STEP_SESSIONS:
        d->skipped = d->skipped || (mds && jst_clock_ns(CLOCK_MONOTONIC) < d->sessions_again_ns);
        if (!mds || jst_clock_ns(CLOCK_MONOTONIC) < d->sessions_again_ns)
            return false;
        ask_sessions(d);
        return true;
    default:
        return false;
    }
}

static void failed(jst_ceph_daemon *d)
{
    uint64_t rest = d->failures < 5 ? NS << d->failures : REST_NS;
    d->step = JST_STEP_OVER;
    denied = denied || d->talk.result == JST_CEPH_DENIED;
    wrong = wrong || d->talk.result == JST_CEPH_WRONG;
    d->is_gone = d->talk.result == JST_CEPH_GONE;
    d->failures++;
    /* A little less, so that slices of whole seconds are not missed. */
    d->again_ns = jst_clock_ns(CLOCK_MONOTONIC) + rest - NS / 2;
}

static void take_mount(void *to, const char *source, const char *path)
{
    jst_ceph_daemon *d = to;
    if (strcmp(path, d->who.mount) == 0)
        snprintf(d->source, sizeof d->source, "%s", source);
}

/* A client's mount, as in /proc/mounts; one that is mounted elsewhere (in a container) has the
 * cluster. */
static void find_mount(jst_ceph_daemon *d)
{
    snprintf(d->source, sizeof d->source, "%s", d->who.fsid);
    jst_mounts("fuse.ceph-fuse", take_mount, d);
}

/* Its counters were received. */
static void take_counts(jst_ceph_daemon *d)
{
    if (!d->is_known && d->kind == JST_KIND_CEPH_MOUNT)
        find_mount(d);
    d->is_known = d->answered = true;
    d->is_gone = false;
    d->failures = 0;
    d->counts = d->fresh;
    /* Of clients only mounts are sampled: neither a gateway nor a command. */
    d->is_uninteresting =
        d->kind == JST_KIND_CEPH_MOUNT && !(d->counts.seen >> JST_CEPH_META_OPS & 1);
    if (d->is_uninteresting)
        d->again_ns = jst_clock_ns(CLOCK_MONOTONIC) + REST_OF_A_CLIENT;
}

/* Its sessions were received, or could not be: a standby metadata server has none. */
static void take_sessions(jst_ceph_daemon *d)
{
    uint64_t bytes = d->talk.result == JST_CEPH_GOOD ? d->talk.length : 0;
    d->received_ns = jst_clock_ns(CLOCK_MONOTONIC);
    d->has_sessions = d->talk.result == JST_CEPH_GOOD;
    if (d->talk.length > JST_CEPH_ANSWER)
        bytes = JST_CEPH_ANSWER;
    d->sessions_again_ns = d->received_ns + bytes * REST_NS_PER_BYTE;
}

/* Processes an answer, or its absence. */
static void next_step(unsigned i)
{
    jst_ceph_daemon *d = asked[i];
    while (d->step < JST_STEP_OVER && d->talk.result != JST_CEPH_ASKED) {
        if (d->talk.result != JST_CEPH_GOOD && d->step < JST_STEP_SESSIONS) {
            failed(d);
            return;
        }
        if (d->step == JST_STEP_COUNTS)
            take_counts(d);
        else if (d->step == JST_STEP_SESSIONS)
            take_sessions(d);
        do
            d->step++;
        while (d->step < JST_STEP_OVER && !ask_step(d));
    }
}

static void ask_all(void)
{
    uint64_t now = jst_clock_ns(CLOCK_MONOTONIC);
    uint64_t patience = jst_cfg.slice_ns * 2 / 5;
    asked_count = 0;
    denied = wrong = false;
    for (unsigned i = 0; i < daemon_count; i++) {
        jst_ceph_daemon *d = daemons[i];
        d->answered_before = d->answered;
        d->answered = d->has_sessions = false;
        if (now < d->again_ns)
            continue;
        d->step = d->is_known ? JST_STEP_COUNTS : JST_STEP_FSID;
        asked[asked_count] = d;
        talks[asked_count++] = &d->talk;
        ask_step(d);
    }
    patience = patience > 0 && patience < PATIENCE_NS ? patience : PATIENCE_NS;
    jst_ceph_listen(talks, asked_count, now + patience, next_step);
}

/* ---- the source ---- */

static bool connects(void)
{
    char folder[256];
    struct stat s;
    put_folder(folder, sizeof folder);
    return stat(folder, &s) == 0 && S_ISDIR(s.st_mode);
}

static const char *open_ceph(void)
{
    return connects() ? NULL : "no admin sockets of Ceph";
}

static const char *sample_ceph(jst_sample *s)
{
    static char said[160];
    unsigned silent = 0;
    const char *which = "";
    bool sessions = false;
    find_daemons();
    ask_all();
    uint64_t slice = jst_cfg.slice_ns ? jst_clock_ns(CLOCK_REALTIME) / jst_cfg.slice_ns : 0;
    for (unsigned i = 0; i < daemon_count; i++) {
        jst_ceph_daemon *d = daemons[i];
        sessions = sessions || d->too_many;
        if (d->is_gone || d->is_uninteresting)
            continue;
        if (!d->answered && !silent++)
            which = d->name;
        if (d->is_known)
            jst_ceph_report(s, d, slice);
    }
    if (denied)
        return "no right to ask Ceph's daemons: it needs CAP_DAC_OVERRIDE, and to have been "
               "started "
               "when there was a folder of admin sockets";
    if (silent) {
        snprintf(said, sizeof said, "%s of Ceph %s", which,
                 wrong ? "gave an unknown answer" : "did not answer");
        return said;
    }
    if (sessions)
        return "a metadata server of Ceph has more clients than are followed";
    if (too_many)
        return "there are more daemons of Ceph than are asked";
    return twice ? "two daemons of Ceph have the same name: only one is asked" : NULL;
}

const jst_source jst_source_ceph = {
    .name = "ceph", .open = open_ceph, .sample = sample_ceph, .connects = connects};
