/* ceph_text.c: parses the answers of Ceph's daemons (ceph_text.h). Pure: no system call. */
#include "ceph_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS UINT64_C(1000000000)
#define EXACT_LOAD 1e15 /* beyond it a double does not resolve single requests */

bool jst_ceph_number(const char *text, uint64_t *to)
{
    uint64_t v = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (unsigned)(*p - '0'), &v))
            return false;
    *to = v;
    return p != text && !*p;
}

/* 9.413e-05 */
static bool scaled_ns(const char *text, uint64_t *to)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    double v = strtod(text, &end) * (double)NS;
    if (!(v >= 0 && v < 9e18) || *end)
        return false;
    *to = (uint64_t)v;
    return true;
}

bool jst_ceph_ns(const char *text, uint64_t *to)
{
    char whole[24];
    size_t n = strspn(text, "0123456789");
    uint64_t v, part = 0, unit = NS;
    if (strchr(text, 'e'))
        return scaled_ns(text, to);
    if (n >= sizeof whole || (text[n] && text[n] != '.'))
        return false;
    memcpy(whole, text, n);
    whole[n] = 0;
    if (!jst_ceph_number(whole, &v))
        return false;
    const char *p = text + n + (text[n] == '.');
    for (; *p >= '0' && *p <= '9'; p++)
        if (unit > 1) {
            unit /= 10;
            part += unit * (unsigned)(*p - '0');
        }
    return !*p && !__builtin_mul_overflow(v, NS, &v) && !__builtin_add_overflow(v, part, to);
}

/* ---- perf dump ---- */

static const struct {
    const char *logger, *name, *part;
    enum jst_ceph_count count;
} places[] = {
    {"osd", "op_r", NULL, JST_CEPH_READ_OPS},
    {"osd", "op_w", NULL, JST_CEPH_WRITE_OPS},
    {"osd", "op_rw", NULL, JST_CEPH_BOTH_OPS},
    {"osd", "op_out_bytes", NULL, JST_CEPH_READ_BYTES},
    {"osd", "op_in_bytes", NULL, JST_CEPH_WRITE_BYTES},
    {"osd", "op_r_latency", "sum", JST_CEPH_READ_NS},
    {"osd", "op_w_latency", "sum", JST_CEPH_WRITE_NS},
    {"osd", "op_rw_latency", "sum", JST_CEPH_BOTH_NS},
    {"osd", "op_latency", "avgcount", JST_CEPH_WAIT_OPS},
    {"osd", "op_latency", "sum", JST_CEPH_WAIT_NS},
    {"osd", "op_wip", NULL, JST_CEPH_QUEUED},
    {"mds_server", "handle_client_request", NULL, JST_CEPH_META_OPS},
    {"mds", "reply_latency", "sum", JST_CEPH_META_NS},
    {"mds", "inodes", NULL, JST_CEPH_CACHED},
    {"mds", "q", NULL, JST_CEPH_QUEUED},
    {"client", "lat", "avgcount", JST_CEPH_META_OPS},
    {"client", "lat", "sum", JST_CEPH_META_NS},
    {"client", "rdlat", "avgcount", JST_CEPH_READ_OPS},
    {"client", "rdlat", "sum", JST_CEPH_READ_NS},
    {"client", "wrlat", "avgcount", JST_CEPH_WRITE_OPS},
    {"client", "wrlat", "sum", JST_CEPH_WRITE_NS},
    {"client", "fsync", "avgcount", JST_CEPH_SYNC_OPS},
    {"client", "fsync", "sum", JST_CEPH_SYNC_NS},
    {"objecter", "op_send_bytes", NULL, JST_CEPH_WRITE_BYTES},
};

static bool is_ns(enum jst_ceph_count c)
{
    return c == JST_CEPH_READ_NS || c == JST_CEPH_WRITE_NS || c == JST_CEPH_BOTH_NS ||
           c == JST_CEPH_WAIT_NS || c == JST_CEPH_META_NS || c == JST_CEPH_SYNC_NS;
}

/* req_create_latency: kind "create". */
static jst_ceph_kind *kind_of(jst_ceph_counts *counts, const char *key)
{
    static const char before[] = "req_", behind[] = "_latency";
    size_t n = strlen(key), least = sizeof before - 1 + sizeof behind - 1;
    if (n <= least || strncmp(key, before, sizeof before - 1) != 0 ||
        strcmp(key + n - (sizeof behind - 1), behind) != 0)
        return NULL;
    const char *name = key + sizeof before - 1;
    n -= least;
    for (unsigned i = 0; i < counts->kinds; i++)
        if (strlen(counts->kind[i].name) == n && memcmp(counts->kind[i].name, name, n) == 0)
            return &counts->kind[i];
    if (counts->kinds == JST_CEPH_KINDS)
        return NULL;
    jst_ceph_kind *k = &counts->kind[counts->kinds++];
    memset(k, 0, sizeof *k);
    memcpy(k->name, name, n);
    return k;
}

static void take_kind(jst_ceph_counts *counts, const jst_json *j, const char *text)
{
    jst_ceph_kind *k = kind_of(counts, j->key[1]);
    if (k && strcmp(j->key[2], "avgcount") == 0)
        k->has_ops = jst_ceph_number(text, &k->ops);
    else if (k && strcmp(j->key[2], "sum") == 0)
        k->has_ns = jst_ceph_ns(text, &k->ns);
}

/* Bytes that a client received: the sum over its threads. No counter has only the data that it
 * read. */
static void take_received(jst_ceph_counts *counts, const jst_json *j, const char *text)
{
    static const char worker[] = "AsyncMessenger::Worker-";
    uint64_t *sum = &counts->value[JST_CEPH_RECEIVED_BYTES], more;
    unsigned bit = 1u << JST_CEPH_RECEIVED_BYTES;
    if (strncmp(j->key[0], worker, sizeof worker - 1) != 0 ||
        strcmp(j->key[1], "msgr_recv_bytes") != 0)
        return;
    bool good = jst_ceph_number(text, &more) && !__builtin_add_overflow(*sum, more, sum) &&
                (counts->seen & bit) == (counts->known & bit);
    counts->seen |= bit;
    counts->known = good ? counts->known | bit : counts->known & ~bit;
}

void jst_ceph_take_counts(void *to, const jst_json *j, jst_json_event event, const char *text)
{
    jst_ceph_counts *counts = to;
    if (event != JST_JSON_WORD || j->depth < 2 || j->depth > 3)
        return;
    if (j->depth == 2)
        take_received(counts, j, text);
    if (j->depth == 3 && strcmp(j->key[0], "mds_server") == 0)
        take_kind(counts, j, text);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!jst_json_at(j, places[i].logger, places[i].name, places[i].part))
            continue;
        enum jst_ceph_count c = places[i].count;
        bool good = is_ns(c) ? jst_ceph_ns(text, &counts->value[c])
                             : jst_ceph_number(text, &counts->value[c]);
        counts->seen |= 1u << c;
        counts->known = good ? counts->known | 1u << c : counts->known & ~(1u << c);
    }
}

/* ---- session ls ---- */

/* Letters, digits, `.`, `-`, `_`, `:`: other characters become `_`. */
static void take_host(char to[JST_CEPH_NAME], const char *text)
{
    snprintf(to, JST_CEPH_NAME, "%s", text);
    for (char *p = to; *p; p++)
        if (!((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
              strchr(".-_:", *p)))
            *p = '_';
}

void jst_ceph_take_session(void *to, const jst_json *j, jst_json_event event, const char *text)
{
    jst_ceph_sessions *all = to;
    jst_ceph_session *s = &all->now;
    if (j->depth == 1 && event == JST_JSON_BEGIN) {
        memset(s, 0, sizeof *s);
        all->has_id = false;
    } else if (j->depth == 1 && event == JST_JSON_END && all->has_id) {
        if (!s->host[0])
            snprintf(s->host, sizeof s->host, "client.%llu", (unsigned long long)s->id);
        all->each(all->to, s);
    } else if (event == JST_JSON_WORD && jst_json_at(j, "", "id", NULL)) {
        all->has_id = jst_ceph_number(text, &s->id);
    } else if (event == JST_JSON_WORD && jst_json_at(j, "", "request_load_avg", NULL)) {
        s->has_load = jst_ceph_number(text, &s->load);
    } else if (event == JST_JSON_TEXT_VALUE && jst_json_at(j, "", "client_metadata", "hostname")) {
        take_host(s->host, text);
    }
}

/* The rest of 1 after so many half-lives. Own code: exp2 of a new libm is not in an old one. */
static double left_after(double half_lives)
{
    double left = 1, power = 1;
    if (!(half_lives >= 0) || half_lives > 1000)
        return 0;
    unsigned whole = (unsigned)half_lives;
    for (unsigned i = 0; i < whole; i++)
        left /= 2;
    double x = -(half_lives - whole) * 0.69314718055994530942, sum = 1;
    for (int i = 1; i < 20; i++)
        sum += power *= x / i;
    return left * sum;
}

/* At least x, which is not negative and small enough. */
static double rounded_up(double x)
{
    double whole = (double)(uint64_t)x;
    return whole < x ? whole + 1 : whole;
}

double jst_ceph_requests(double *at_most, uint64_t load, double seconds, double half_life)
{
    double lower = (double)load;
    if (!(lower < EXACT_LOAD) || !(seconds >= 0) || !(half_life > 0) || seconds > half_life) {
        *at_most = lower + 1;
        return 0;
    }
    /* A request in the middle of the time has decayed half of the way since. */
    double left = *at_most * left_after(seconds / half_life);
    double weight = left_after(seconds / half_life / 2);
    double requests = lower > left ? rounded_up((lower - left) / weight) : 0;
    double now = left + requests * weight;
    *at_most = now < lower + 1 ? now : lower + 1;
    return requests;
}

/* ---- identity ---- */

void jst_ceph_take_identity(void *to, const jst_json *j, jst_json_event event, const char *text)
{
    jst_ceph_identity *who = to;
    if (event != JST_JSON_TEXT_VALUE)
        return;
    if (jst_json_at(j, "fsid", NULL, NULL)) {
        take_host(who->fsid, text);
    } else if (jst_json_at(j, "metadata", "mount_point", NULL)) {
        snprintf(who->mount, sizeof who->mount, "%s", text);
    } else if (jst_json_at(j, "mds_request_load_average_decay_rate", NULL, NULL)) {
        char *end;
        double v = strtod(text, &end);
        who->half_life = end != text && v > 0 && v < 1e6 ? v : 0;
    }
}
