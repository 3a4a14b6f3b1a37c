/* ceph_report.c: reports the numbers of Ceph's daemons as components. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ceph_daemon.h"

#define NS 1e9
#define TRUSTED 2.0 /* clients' loads are stretched to the server's sum by at most this */

/* Reports a count, or that it is not known; counters that this version of Ceph lacks are left out.
 * `more`: another count that is added, or the same again: none. */
static void put(jst_component *c, const jst_ceph_counts *counts, bool known, unsigned metric,
                enum jst_ceph_count count, enum jst_ceph_count more)
{
    bool has = counts->known >> count & 1 && counts->known >> more & 1;
    uint64_t sum = counts->value[count];
    if (!(counts->seen >> count & 1))
        return;
    if (has && more != count && __builtin_add_overflow(sum, counts->value[more], &sum))
        has = false;
    if (known && has)
        jst_counter(c, (enum jst_component_metric)metric, sum);
    else
        jst_unknown(c, (enum jst_component_metric)metric);
}

static void put_level(jst_component *c, const jst_ceph_counts *counts, bool known, unsigned metric,
                      enum jst_ceph_count count)
{
    if (known && counts->known >> count & 1)
        jst_level(c, (enum jst_component_metric)metric, counts->value[count]);
}

static jst_component *component(jst_sample *s, const jst_ceph_daemon *d,
                                enum jst_component_kind kind, const char *name, bool from_zero)
{
    bool mount = kind == JST_KIND_CEPH_MOUNT;
    return jst_component_of(s, &(jst_names){.kind = kind,
                                            .name = name,
                                            .source = mount ? d->source : d->who.fsid,
                                            .path = mount ? d->who.mount : NULL,
                                            .from_zero = from_zero});
}

static void report_object_server(jst_sample *s, const jst_ceph_daemon *d)
{
    const jst_ceph_counts *n = &d->counts;
    bool known = d->answered;
    jst_component *c = component(s, d, d->kind, d->name, false);
    jst_since(c, d->born);
    put(c, n, known, JST_STORAGE_READ_OPS, JST_CEPH_READ_OPS, JST_CEPH_READ_OPS);
    put(c, n, known, JST_STORAGE_READ_BYTES, JST_CEPH_READ_BYTES, JST_CEPH_READ_BYTES);
    put(c, n, known, JST_STORAGE_READ_NS, JST_CEPH_READ_NS, JST_CEPH_READ_NS);
    put(c, n, known, JST_STORAGE_WRITE_OPS, JST_CEPH_WRITE_OPS, JST_CEPH_BOTH_OPS);
    put(c, n, known, JST_STORAGE_WRITE_BYTES, JST_CEPH_WRITE_BYTES, JST_CEPH_WRITE_BYTES);
    put(c, n, known, JST_STORAGE_WRITE_NS, JST_CEPH_WRITE_NS, JST_CEPH_BOTH_NS);
    put(c, n, known, JST_STORAGE_WAIT_OPS, JST_CEPH_WAIT_OPS, JST_CEPH_WAIT_OPS);
    put(c, n, known, JST_STORAGE_WAIT_NS, JST_CEPH_WAIT_NS, JST_CEPH_WAIT_NS);
    put_level(c, n, known, JST_STORAGE_QUEUED, JST_CEPH_QUEUED);
}

static void report_mount(jst_sample *s, const jst_ceph_daemon *d)
{
    const jst_ceph_counts *n = &d->counts;
    bool known = d->answered;
    jst_component *c = component(s, d, d->kind, d->name, false);
    jst_since(c, d->born);
    put(c, n, known, JST_STORAGE_READ_OPS, JST_CEPH_READ_OPS, JST_CEPH_READ_OPS);
    put(c, n, known, JST_STORAGE_READ_BYTES, JST_CEPH_RECEIVED_BYTES, JST_CEPH_RECEIVED_BYTES);
    put(c, n, known, JST_STORAGE_READ_NS, JST_CEPH_READ_NS, JST_CEPH_READ_NS);
    put(c, n, known, JST_STORAGE_WRITE_OPS, JST_CEPH_WRITE_OPS, JST_CEPH_WRITE_OPS);
    put(c, n, known, JST_STORAGE_WRITE_BYTES, JST_CEPH_WRITE_BYTES, JST_CEPH_WRITE_BYTES);
    put(c, n, known, JST_STORAGE_WRITE_NS, JST_CEPH_WRITE_NS, JST_CEPH_WRITE_NS);
    put(c, n, known, JST_STORAGE_META_OPS, JST_CEPH_META_OPS, JST_CEPH_META_OPS);
    put(c, n, known, JST_STORAGE_META_NS, JST_CEPH_META_NS, JST_CEPH_META_NS);
    put(c, n, known, JST_STORAGE_SYNC_OPS, JST_CEPH_SYNC_OPS, JST_CEPH_SYNC_OPS);
    put(c, n, known, JST_STORAGE_SYNC_NS, JST_CEPH_SYNC_NS, JST_CEPH_SYNC_NS);
}

/* ---- kinds of requests ---- */

/* A kind that was not in earlier samples begins at 0 only if the previous sample had it at 0. */
static void report_kinds(jst_sample *s, const jst_ceph_daemon *d)
{
    for (unsigned i = 0; i < d->counts.kinds; i++) {
        const jst_ceph_kind *k = &d->counts.kind[i];
        char name[2 * JST_CEPH_NAME];
        if (!k->has_ops || k->ops == 0)
            continue;
        snprintf(name, sizeof name, "%s %s", d->name, k->name);
        jst_component *c =
            component(s, d, JST_KIND_CEPH_REQUEST, name, d->answered && d->answered_before);
        jst_since(c, d->born);
        if (d->answered)
            jst_counter(c, JST_STORAGE_META_OPS, k->ops);
        else
            jst_unknown(c, JST_STORAGE_META_OPS);
        if (d->answered && k->has_ns)
            jst_counter(c, JST_STORAGE_META_NS, k->ns);
        else
            jst_unknown(c, JST_STORAGE_META_NS);
    }
}

/* ---- clients ---- */

static jst_ceph_load *load_of(jst_ceph_daemon *d, uint64_t id)
{
    for (unsigned i = 0; i < d->sessions; i++) { /* they are in the same order each time */
        unsigned at = (d->cursor + i) % d->sessions;
        if (d->loads[at].id == id) {
            d->cursor = at + 1;
            return &d->loads[at];
        }
    }
    if (d->sessions == JST_CEPH_SESSIONS) {
        d->too_many = true;
        return NULL;
    }
    if (d->sessions == d->room) {
        unsigned room = d->room ? 2 * d->room : 16;
        jst_ceph_load *more = realloc(d->loads, room * sizeof *more);
        if (!more)
            return NULL;
        d->loads = more;
        d->room = room;
    }
    jst_ceph_load *l = &d->loads[d->sessions++];
    memset(l, 0, sizeof *l);
    l->id = id;
    return l;
}

void jst_ceph_take_load(void *to, const jst_ceph_session *session)
{
    jst_ceph_daemon *d = to;
    unsigned before = d->sessions;
    jst_ceph_load *l = session->has_load ? load_of(d, session->id) : NULL;
    if (!l || l->seen)
        return;
    bool is_new = d->sessions > before;
    double seconds =
        d->read_ns > d->received_before_ns ? (double)(d->read_ns - d->received_before_ns) / NS : 0;
    l->seen = true;
    memcpy(l->host, session->host, sizeof l->host);
    if (d->counting)
        l->share = jst_ceph_requests(&l->at_most, session->load, is_new ? 0 : seconds,
                                     d->who.half_life > 0 ? d->who.half_life : 60);
    else
        l->at_most = (double)session->load + 1;
}

static void forget_closed(jst_ceph_daemon *d)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < d->sessions; i++)
        if (d->loads[i].seen)
            d->loads[kept++] = d->loads[i];
    d->sessions = kept;
    d->cursor = 0;
}

/* Requests of all sessions, by the server's own count since the last reading; less than 0: not known. */
static double all_requests(const jst_ceph_daemon *d)
{
    if (!d->has_then || !(d->counts.known >> JST_CEPH_META_OPS & 1) ||
        d->counts.value[JST_CEPH_META_OPS] < d->requests_then)
        return -1;
    return (double)(d->counts.value[JST_CEPH_META_OPS] - d->requests_then);
}

static double stretch(const jst_ceph_daemon *d)
{
    double sum = 0, all = all_requests(d);
    for (unsigned i = 0; i < d->sessions; i++)
        sum += d->loads[i].share;
    if (all < 0 || sum <= 0)
        return 1;
    double by = all / sum;
    return by > TRUSTED ? TRUSTED : by;
}

static void report_clients(jst_sample *s, jst_ceph_daemon *d, uint64_t slice)
{
    double by = stretch(d);
    for (unsigned i = 0; i < d->sessions; i++) {
        jst_ceph_load *l = &d->loads[i];
        jst_component *c = component(s, d, JST_KIND_CEPH_CLIENT, l->host, false);
        double whole = (double)(uint64_t)(l->carried + l->share * by + 1e-6);
        l->carried += l->share * by - whole;
        l->carried = l->carried > 0 ? l->carried : 0;
        l->share = 0;
        if (!d->counting)
            continue;
        jst_increase(c, JST_STORAGE_META_OPS, (uint64_t)whole);
        if (d->skipped)
            jst_gained_since(c, d->then_slice);
    }
    d->counting = true;
    d->skipped = false;
    d->received_before_ns = d->received_ns;
    d->then_slice = slice;
    d->has_then = d->counts.known >> JST_CEPH_META_OPS & 1;
    d->requests_then = d->counts.value[JST_CEPH_META_OPS];
}

static void clients_unknown(jst_sample *s, jst_ceph_daemon *d)
{
    for (unsigned i = 0; i < d->sessions; i++)
        jst_unknown(component(s, d, JST_KIND_CEPH_CLIENT, d->loads[i].host, false),
                    JST_STORAGE_META_OPS);
    /* Increases of a session until it is seen again cannot be distinguished from its old load. */
    d->counting = d->has_then = false;
}

static void report_metadata_server(jst_sample *s, jst_ceph_daemon *d, uint64_t slice)
{
    const jst_ceph_counts *n = &d->counts;
    bool known = d->answered;
    jst_component *c = component(s, d, d->kind, d->name, false);
    jst_since(c, d->born);
    put(c, n, known, JST_STORAGE_META_OPS, JST_CEPH_META_OPS, JST_CEPH_META_OPS);
    put(c, n, known, JST_STORAGE_META_NS, JST_CEPH_META_NS, JST_CEPH_META_NS);
    put_level(c, n, known, JST_STORAGE_QUEUED, JST_CEPH_QUEUED);
    put_level(c, n, known, JST_STORAGE_CACHED_COUNT, JST_CEPH_CACHED);
    report_kinds(s, d);
    if (d->has_sessions) {
        forget_closed(d);
        bool came_back = !d->counting && d->received_before_ns;
        report_clients(s, d, slice);
        for (unsigned i = 0; came_back && i < d->sessions; i++)
            jst_unknown(component(s, d, JST_KIND_CEPH_CLIENT, d->loads[i].host, false),
                        JST_STORAGE_META_OPS);
    } else if (!d->answered || !d->skipped) {
        clients_unknown(s, d);
    }
}

void jst_ceph_report(jst_sample *s, jst_ceph_daemon *d, uint64_t slice)
{
    if (d->kind == JST_KIND_CEPH_OSD)
        report_object_server(s, d);
    else if (d->kind == JST_KIND_CEPH_MDS)
        report_metadata_server(s, d, slice);
    else
        report_mount(s, d);
}
