/* lustre_stats.c: parses the text of Lustre's statistics (lustre_stats.h). */
#include "lustre_stats.h"

#include <stdio.h>
#include <string.h>

/* The kinds of operations. */
enum part {
    PART_META,
    PART_READ, /* in bytes: operations and bytes read */
    PART_WRITE,
    PART_READ_TIME, /* in microseconds: since 2.14, with read_bytes; before, a useless count */
    PART_WRITE_TIME,
    PART_SYNC,
    PART_WAIT,    /* of requests: from sending to the answer */
    PART_NOTHING, /* counted elsewhere, no request, or not of a job's making */
};

static const struct {
    const char *name;
    enum part part;
} parts[] = {
    {"read_bytes", PART_READ},
    {"write_bytes", PART_WRITE},
    {"read", PART_READ_TIME},
    {"write", PART_WRITE_TIME},
    {"ost_read", PART_READ_TIME},
    {"ost_write", PART_WRITE_TIME},
    {"sync", PART_SYNC},
    {"fsync", PART_SYNC},
    {"ost_sync", PART_SYNC},
    {"mds_sync", PART_SYNC},
    {"req_waittime", PART_WAIT},
    /* states of the queue when a request came, no operations */
    {"req_active", PART_NOTHING},
    {"req_qdepth", PART_NOTHING},
    {"req_timeout", PART_NOTHING},
    {"reqbuf_avail", PART_NOTHING},
    /* keep-alive */
    {"ping", PART_NOTHING},
    {"obd_ping", PART_NOTHING},
    {"connect", PART_NOTHING},
    {"reconnect", PART_NOTHING},
    {"disconnect", PART_NOTHING},
    {"ost_connect", PART_NOTHING},
    {"ost_disconnect", PART_NOTHING},
    {"mds_connect", PART_NOTHING},
    {"mds_disconnect", PART_NOTHING},
    /* the client's own work, which is no request to a server */
    {"ioctl", PART_NOTHING},
    {"mmap", PART_NOTHING},
    {"page_fault", PART_NOTHING},
    {"page_mkwrite", PART_NOTHING},
    {"seek", PART_NOTHING},
    {"alloc_inode", PART_NOTHING},
    {"getxattr_hits", PART_NOTHING},
    {"inode_permission", PART_NOTHING},
    {"opencount", PART_NOTHING},
    {"openclosetime", PART_NOTHING}, /* how long files were open */
    /* kinds of rename, which is counted too */
    {"samedir_rename", PART_NOTHING},
    {"crossdir_rename", PART_NOTHING},
    {"parallel_rename_file", PART_NOTHING},
    {"parallel_rename_dir", PART_NOTHING},
};

static const uint32_t all_cells = (1u << JST_LUSTRE_CELLS) - 1;

/* A piece of text that is not ended by a NUL. */
typedef struct piece {
    const char *at;
    size_t n;
} piece;

static bool is(piece p, const char *text)
{
    return strlen(text) == p.n && !memcmp(p.at, text, p.n);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_spaces(piece *p)
{
    while (p->n && is_space(*p->at)) {
        p->at++;
        p->n--;
    }
}

static void trim_end(piece *p)
{
    while (p->n && is_space(p->at[p->n - 1]))
        p->n--;
}

/* The next word, which ends at a blank. */
static piece next_word(piece *p)
{
    skip_spaces(p);
    piece word = {p->at, 0};
    while (p->n && !is_space(*p->at)) {
        p->at++;
        p->n--;
        word.n++;
    }
    return word;
}

/* A number of digits only that fits and is not the one at which sums saturate. */
static bool number(piece p, uint64_t *to)
{
    uint64_t v = 0;
    if (!p.n)
        return false;
    for (size_t i = 0; i < p.n; i++) {
        if (!is_digit(p.at[i]) || v > (UINT64_MAX - 9) / 10)
            return false;
        v = v * 10 + (uint64_t)(p.at[i] - '0');
    }
    *to = v;
    return v < INT64_MAX;
}

/* ---- operations ------------------------------------------------------------------------------ */

typedef struct operation {
    piece name, unit;
    bool has_count, has_sum, sum_known;
    uint64_t count, sum;
} operation;

static void add(jst_lustre_totals *t, unsigned cell, uint64_t by)
{
    if (t->value[cell] + by < by)
        t->unknown |= 1u << cell;
    t->value[cell] += by;
}

static void add_sum(jst_lustre_totals *t, unsigned cell, const operation *o, uint64_t unit)
{
    if (!o->sum_known || o->sum > UINT64_MAX / unit)
        t->unknown |= 1u << cell;
    else
        add(t, cell, o->sum * unit);
}

static void add_time(jst_lustre_totals *t, unsigned cell, const operation *o)
{
    if (o->has_sum && (is(o->unit, "usecs") || is(o->unit, "usec"))) {
        t->timed |= 1u << cell;
        add_sum(t, cell, o, 1000);
    } else {
        t->timeless |= 1u << cell;
    }
}

static enum part part_of(const operation *o)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].name[0] == *o->name.at && is(o->name, parts[i].name))
            return parts[i].part;
    return is(o->unit, "bytes") || is(o->unit, "pages") ? PART_NOTHING : PART_META;
}

static void add_operation(jst_lustre_totals *t, const operation *o)
{
    enum part part = part_of(o);
    if (part == PART_NOTHING)
        return;
    if (!o->has_count) { /* its cells are known, but no number */
        t->torn = true;
        return;
    }
    if (!o->count)
        return;
    switch (part) {
    case PART_READ:
        add(t, JST_STORAGE_READ_OPS, o->count);
        add_sum(t, JST_STORAGE_READ_BYTES, o, 1);
        break;
    case PART_WRITE:
        add(t, JST_STORAGE_WRITE_OPS, o->count);
        add_sum(t, JST_STORAGE_WRITE_BYTES, o, 1);
        break;
    case PART_READ_TIME:
        add_time(t, JST_STORAGE_READ_NS, o);
        break;
    case PART_WRITE_TIME:
        add_time(t, JST_STORAGE_WRITE_NS, o);
        break;
    case PART_SYNC:
        add(t, JST_STORAGE_SYNC_OPS, o->count);
        add_time(t, JST_STORAGE_SYNC_NS, o);
        break;
    case PART_WAIT:
        add(t, JST_STORAGE_WAIT_OPS, o->count);
        add_time(t, JST_STORAGE_WAIT_NS, o);
        break;
    default:
        add(t, JST_STORAGE_META_OPS, o->count);
        add_time(t, JST_STORAGE_META_NS, o);
        break;
    }
}

/* "1510782606.789441183 secs.nsecs": the seconds, of whatever clock. */
static void take_start(jst_lustre_totals *t, piece p)
{
    piece word = next_word(&p), seconds = {word.at, 0};
    while (seconds.n < word.n && is_digit(word.at[seconds.n]))
        seconds.n++;
    if (number(seconds, &t->start_s))
        t->has_start = true;
}

/* ---- stats ----------------------------------------------------------------------------------- */

/* "NAME COUNT samples [UNIT] MIN MAX SUM SUMSQ"; with one number that is the sum, and two could be
 * anything. */
static void stats_line(jst_lustre_totals *t, piece line)
{
    piece rest = line, numbers[4];
    operation o = {.name = next_word(&rest)};
    size_t n = 0;
    if (o.name.n && o.name.at[o.name.n - 1] == ':')
        o.name.n--;
    if (is(o.name, "start_time")) {
        take_start(t, rest);
        return;
    }
    piece count = next_word(&rest);
    if (!o.name.n || !is(next_word(&rest), "samples"))
        return; /* a header: snapshot_time, elapsed_time, "llite.NAME.stats=" */
    piece unit = next_word(&rest);
    if (unit.n < 2 || unit.at[0] != '[' || unit.at[unit.n - 1] != ']')
        return;
    o.unit = (piece){unit.at + 1, unit.n - 2};
    o.has_count = number(count, &o.count);
    for (piece word; n < 5 && (word = next_word(&rest)).n; n++)
        if (n < 4)
            numbers[n] = word;
    o.has_sum = n > 0;
    o.sum_known = (n == 1 && number(numbers[0], &o.sum)) ||
                  ((n == 3 || n == 4) && number(numbers[2], &o.sum));
    add_operation(t, &o);
}

size_t jst_lustre_stats(const char *text, size_t n, jst_lustre_totals *t)
{
    size_t used = 0;
    for (const char *end; (end = memchr(text + used, '\n', n - used));) {
        size_t length = (size_t)(end - text) - used;
        stats_line(t, (piece){text + used, length});
        used += length + 1;
    }
    return used;
}

bool jst_lustre_known(const jst_lustre_totals *t, enum jst_component_metric metric, bool *unknown)
{
    static const uint8_t operations[JST_LUSTRE_CELLS] = {
        [JST_STORAGE_READ_NS] = JST_STORAGE_READ_OPS,
        [JST_STORAGE_WRITE_NS] = JST_STORAGE_WRITE_OPS,
        [JST_STORAGE_META_NS] = JST_STORAGE_META_OPS,
        [JST_STORAGE_SYNC_NS] = JST_STORAGE_SYNC_OPS,
        [JST_STORAGE_WAIT_NS] = JST_STORAGE_WAIT_OPS,
    };
    uint32_t bit = 1u << metric;
    *unknown = t->torn || t->unknown & bit;
    if (*unknown)
        return false;
    /* The time of no operation is 0, in every version. */
    return !operations[metric] ||
           (!(t->timeless & bit) && (t->timed & bit || !t->value[operations[metric]]));
}

void jst_lustre_report(jst_component *c, const jst_lustre_totals *t, bool waits)
{
    uint32_t metrics = all_cells & ~(1u << JST_STORAGE_BUSY_NS);
    if (t->has_start && !t->torn)
        jst_since(c, t->start_s);
    if (!waits)
        metrics &= ~(1u << JST_STORAGE_WAIT_NS | 1u << JST_STORAGE_WAIT_OPS);
    for (unsigned m = 0; m < JST_LUSTRE_CELLS; m++) {
        bool unknown;
        if (!(metrics >> m & 1))
            continue;
        if (jst_lustre_known(t, (enum jst_component_metric)m, &unknown))
            jst_counter(c, (enum jst_component_metric)m, t->value[m]);
        else if (unknown)
            jst_unknown(c, (enum jst_component_metric)m);
    }
}

/* ---- job_stats ------------------------------------------------------------------------------- */

static int hex(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* An id, perhaps quoted. "\x20" and the like are undone where they are printable characters. */
static void take_id(char to[JST_LUSTRE_ID], piece p)
{
    size_t used = 0;
    skip_spaces(&p);
    trim_end(&p);
    bool quoted = p.n >= 2 && p.at[0] == '"' && p.at[p.n - 1] == '"';
    if (quoted)
        p = (piece){p.at + 1, p.n - 2};
    while (p.n && used < JST_LUSTRE_ID - 1) {
        char c = *p.at;
        size_t taken = 1;
        if (quoted && c == '\\' && p.n >= 4 && p.at[1] == 'x' && hex(p.at[2]) >= 0 &&
            hex(p.at[3]) >= 0) {
            int code = hex(p.at[2]) * 16 + hex(p.at[3]);
            if (code >= 0x20 && code < 0x7f) {
                c = (char)code;
                taken = 4;
            }
        } else if (quoted && c == '\\' && p.n >= 2 && (p.at[1] == '"' || p.at[1] == '\\')) {
            c = p.at[1];
            taken = 2;
        }
        to[used++] = (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
        p.at += taken;
        p.n -= taken;
    }
    to[used] = 0;
}

/* "{ samples: 2, unit: bytes, min: 4096, max: 4096, sum: 8192, sumsq: 33554432, hist: { 4K: 2 } }":
 * the text after the name. Returns false where it ends too soon. */
static bool take_fields(operation *o, piece p)
{
    while (p.n) {
        piece key = {p.at, 0}, value;
        while (key.n < p.n && key.at[key.n] != ':' && key.at[key.n] != '}')
            key.n++;
        if (key.n == p.n)
            return false;
        if (key.at[key.n] == '}')
            return true;
        p = (piece){p.at + key.n + 1, p.n - key.n - 1};
        while (key.n && (is_space(*key.at) || *key.at == ','))
            key = (piece){key.at + 1, key.n - 1};
        trim_end(&key);
        skip_spaces(&p);
        value = (piece){p.at, 0};
        while (value.n < p.n && value.at[value.n] != ',' && value.at[value.n] != '}')
            value.n++;
        if (value.n == p.n)
            return false;
        p = (piece){p.at + value.n, p.n - value.n};
        trim_end(&value);
        if (is(key, "samples")) {
            o->has_count = number(value, &o->count);
            if (o->has_count && !o->count)
                return true; /* most are */
        } else if (is(key, "unit")) {
            o->unit = value;
        } else if (is(key, "sum")) {
            o->has_sum = true;
            o->sum_known = number(value, &o->sum);
            return true; /* a sum of squares and a histogram come after it */
        }
    }
    return false;
}

static void end_job(jst_lustre_jobs *p)
{
    if (p->in_job)
        p->job(p->to, p->id, &p->totals);
    p->in_job = false;
}

static void job_line(jst_lustre_jobs *p, piece line)
{
    operation o = {0};
    skip_spaces(&line);
    if (line.n && *line.at == '-') {
        line = (piece){line.at + 1, line.n - 1};
        skip_spaces(&line);
    }
    const char *colon = memchr(line.at, ':', line.n);
    if (!colon)
        return;
    o.name = (piece){line.at, (size_t)(colon - line.at)};
    line = (piece){colon + 1, line.n - o.name.n - 1};
    trim_end(&o.name);
    if (is(o.name, "job_id")) {
        end_job(p);
        memset(&p->totals, 0, sizeof p->totals);
        take_id(p->id, line);
        p->in_job = true;
        return;
    }
    if (!p->in_job)
        return;
    if (is(o.name, "start_time"))
        take_start(&p->totals, line);
    skip_spaces(&line);
    if (!line.n || *line.at != '{')
        return; /* snapshot_time, which is that of the job's last request; elapsed_time */
    if (!take_fields(&o, (piece){line.at + 1, line.n - 1}))
        p->totals.torn = true;
    else
        add_operation(&p->totals, &o);
}

void jst_lustre_jobs_begin(jst_lustre_jobs *p,
                           void (*job)(void *to, const char *id, const jst_lustre_totals *t),
                           void *to)
{
    p->job = job;
    p->to = to;
    p->in_job = p->cut = false;
    p->used = 0;
}

static void keep(jst_lustre_jobs *p, const char *text, size_t n)
{
    size_t space = sizeof p->line - p->used;
    if (n > space) {
        p->cut = true;
        n = space;
    }
    memcpy(p->line + p->used, text, n);
    p->used += n;
}

void jst_lustre_jobs_feed(jst_lustre_jobs *p, const char *text, size_t n)
{
    while (n) {
        const char *end = memchr(text, '\n', n);
        size_t length = end ? (size_t)(end - text) : n;
        if (!end || p->used || p->cut)
            keep(p, text, length);
        if (!end)
            return;
        if (p->used)
            job_line(p, (piece){p->line, p->used});
        else
            job_line(p, (piece){text, length < sizeof p->line ? length : sizeof p->line});
        p->used = 0;
        p->cut = false;
        text += length + 1;
        n -= length + 1;
    }
}

bool jst_lustre_jobs_end(jst_lustre_jobs *p)
{
    if (p->used || p->cut)
        return false;
    end_job(p);
    return true;
}

const char *jst_lustre_job_name(const char *id, char to[JST_LUSTRE_ID + 8])
{
    bool digits = *id != 0;
    for (const char *c = id; *c; c++)
        digits = digits && is_digit(*c);
    snprintf(to, JST_LUSTRE_ID + 8, "%s%s", digits ? "slurm-" : "", id);
    return to;
}
