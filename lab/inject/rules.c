/* rules.c: JOSTLE_INJECT: words NAME=VALUE with spaces between; log= is the last and has the rest.
 * lab/docs/reference/inject.md has them. `jostle inject` writes it, batch scripts may. */
#include "injector.h"

#include <string.h>

#define SEVERAL(a, b) ((UINT64_C(2) << JST_MPI_##b) - (UINT64_C(1) << JST_MPI_##a))
#define ONE(a) (UINT64_C(1) << JST_MPI_##a)
#define IO(a) (UINT64_C(1) << JST_DELAY_##a)
#define P2P (SEVERAL(SEND, WAIT))
#define COLLECTIVE (SEVERAL(ONE_TO_ALL, INEIGHBOR))
#define ONESIDED (SEVERAL(PUT, WINDOW))
#define MPI_IO (SEVERAL(IO_OPEN, IO_WRITE_SPLIT))

/* Names of sets of classes, for users. */
static const struct {
    char name[16];
    uint64_t classes;
} groups[] = {
    {"all-to-all", ONE(ALL_TO_ALL) | ONE(IALL_TO_ALL)},
    {"barrier", ONE(BARRIER) | ONE(IBARRIER)},
    {"collective", COLLECTIVE},
    {"send", ONE(SEND) | ONE(SENDRECV) | ONE(ISEND)},
    {"receive", ONE(RECV) | ONE(SENDRECV) | ONE(IRECV)},
    {"wait", ONE(WAIT)},
    {"p2p", P2P},
    {"one-sided", ONESIDED},
    {"mpi", P2P | COLLECTIVE | ONESIDED | ONE(REQUEST)},
    {"mpi-io", MPI_IO},
    {"read", IO(READ)},
    {"write", IO(WRITE)},
    {"open", IO(OPEN)},
    {"close", IO(CLOSE)},
    {"sync", IO(SYNC)},
    {"meta", IO(META)},
    {"io", IO(READ) | IO(WRITE) | IO(OPEN) | IO(CLOSE) | IO(SYNC) | IO(META) | MPI_IO},
};

jst_rules jst_rule;

#define MPI_NAME(name, metric, bytes, state) #name,
#define IO_NAME(name) #name,
static const char *const class_names[] = {JST_MPI_CLASSES(MPI_NAME) JST_IO_CLASSES(IO_NAME)};
#undef MPI_NAME
#undef IO_NAME

const char *jst_class_name(unsigned klass)
{
    return class_names[klass];
}

/* ---- pieces ---- */

static bool is(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* The length of the piece at p: up to a separator or the end of the word. */
static size_t piece(const char *p, const char *end, char separator)
{
    const char *q = p;
    while (q < end && *q != separator)
        q++;
    return (size_t)(q - p);
}

/* A decimal number; returns where it ends, p where there is none. */
static const char *number(const char *p, const char *end, double *value)
{
    const char *begin = p;
    double x = 0, scale = 1;
    int digits = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++, digits++)
        x = x * 10 + (*p - '0');
    if (p < end && *p == '.')
        for (p++; p < end && *p >= '0' && *p <= '9'; p++, digits++)
            x += (*p - '0') * (scale /= 10);
    *value = x;
    return digits ? p : begin;
}

static bool plain(const char *p, size_t n, double *value)
{
    return n && number(p, p + n, value) == p + n;
}

static bool integer(const char *p, size_t n, uint64_t *value)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9' || x > UINT64_MAX / 10 - 1)
            return false;
        x = x * 10 + (uint64_t)(p[i] - '0');
    }
    *value = x;
    return n > 0;
}

/* "5ms", "1.5s"; to 100 days. */
static bool length(const char *p, size_t n, double *ns)
{
    static const struct {
        char name[4];
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *unit = number(p, p + n, ns);
    for (unsigned i = 0; unit > p && i < sizeof units / sizeof *units; i++)
        if (is(unit, n - (size_t)(unit - p), units[i].name)) {
            *ns *= units[i].ns;
            return *ns <= 8.64e15;
        }
    return false;
}

static bool whole_length(const char *p, size_t n, uint64_t *ns)
{
    double x;
    if (!length(p, n, &x))
        return false;
    *ns = (uint64_t)(x + 0.5);
    return true;
}

/* ---- words ---- */

static bool take_calls(const char *p, const char *end)
{
    while (p < end) {
        size_t n = piece(p, end, ',');
        uint64_t found = 0;
        for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
            if (is(p, n, groups[i].name))
                found = groups[i].classes;
        if (!found)
            return false;
        jst_rule.classes |= found;
        p += n + (p + n < end);
    }
    return jst_rule.classes != 0;
}

/* "fixed:5ms", "gauss:5ms,1ms", "pareto:1ms,1.5,1s". */
static bool take_delay(const char *p, const char *end)
{
    jst_rules *r = &jst_rule;
    size_t n = piece(p, end, ':');
    const char *at[4] = {p + n + (p + n < end)};
    size_t size[3];
    for (int i = 0; i < 3; i++) {
        size[i] = piece(at[i], end, ',');
        at[i + 1] = at[i] + size[i] + (at[i] + size[i] < end);
    }
    if (at[3] != end || !length(at[0], size[0], &r->size_ns))
        return false;
    if (is(p, n, "fixed")) {
        r->shape = JST_FIXED;
        return at[1] == end && r->size_ns >= 1;
    }
    if (is(p, n, "gauss")) {
        r->shape = JST_GAUSS;
        return at[2] == end && length(at[1], size[1], &r->spread_ns) &&
               r->size_ns + r->spread_ns >= 1;
    }
    r->shape = JST_PARETO;
    return is(p, n, "pareto") && plain(at[1], size[1], &r->spread_ns) && r->spread_ns > 0 &&
           length(at[2], size[2], &r->most_ns) && r->size_ns >= 1 && r->most_ns >= r->size_ns;
}

static bool take_ranks(const char *p, const char *end)
{
    jst_rule.ranges = 0;
    while (p < end && jst_rule.ranges < JST_RANGES) {
        size_t n = piece(p, end, ','), first = piece(p, p + n, '-');
        uint64_t a, b;
        if (!integer(p, first, &a))
            return false;
        b = a;
        if (first < n && !integer(p + first + 1, n - first - 1, &b))
            return false;
        if (a > b || b > UINT32_MAX)
            return false;
        jst_rule.ranks[jst_rule.ranges].first = (uint32_t)a;
        jst_rule.ranks[jst_rule.ranges++].last = (uint32_t)b;
        p += n + (p + n < end);
    }
    return p == end && jst_rule.ranges;
}

static bool take(const char *name, size_t n, const char *p, const char *end)
{
    jst_rules *r = &jst_rule;
    size_t size = (size_t)(end - p);
    if (is(name, n, "calls"))
        return take_calls(p, end);
    if (is(name, n, "delay"))
        return take_delay(p, end);
    if (is(name, n, "ranks"))
        return take_ranks(p, end);
    if (is(name, n, "probability"))
        return plain(p, size, &r->probability) && r->probability <= 1;
    if (is(name, n, "seed"))
        return integer(p, size, &r->seed);
    if (is(name, n, "from"))
        return whole_length(p, size, &r->from_ns);
    if (is(name, n, "until"))
        return whole_length(p, size, &r->until_ns);
    if (is(name, n, "period"))
        return whole_length(p, size, &r->period_ns) && r->period_ns;
    if (is(name, n, "on"))
        return whole_length(p, size, &r->on_ns);
    if (is(name, n, "phase"))
        return whole_length(p, size, &r->phase_ns);
    if (is(name, n, "place")) {
        r->random_place = is(p, size, "random");
        return r->random_place || is(p, size, "first");
    }
    if (is(name, n, "log") && size && size < sizeof r->log) {
        jst_text(r->log, sizeof r->log, p);
        return true;
    }
    return false;
}

const char *jst_rules_read(const char *text, char where[64])
{
    jst_rules *r = &jst_rule;
    const char *p = text, *end = text + strlen(text);
    memset(r, 0, sizeof *r);
    jst_text(where, 64, text);
    if ((size_t)(end - text) >= sizeof r->text)
        return "is longer than 1023 characters";
    jst_text(r->text, sizeof r->text, text);
    r->probability = 1;
    r->until_ns = UINT64_MAX;
    while (p < end) {
        size_t name = piece(p, end, '=');
        bool rest = is(p, name, "log");
        const char *word = rest ? end : p + piece(p, end, ' ');
        if (word > p) {
            jst_text(where, 64, p);
            if ((size_t)(word - p) < 63)
                where[word - p] = 0;
            if (p + name >= word || !take(p, name, p + name + 1, word)) {
                r->classes = 0;
                return "is not understood";
            }
        }
        p = word + (word < end);
    }
    bool several = r->on_ns && r->period_ns / 2 >= r->on_ns; /* places to draw from */
    if (r->classes && r->size_ns > 0 && r->log[0] == '/' && r->on_ns <= r->period_ns &&
        (several || !r->random_place))
        return NULL;
    jst_text(where, 64, text);
    if (r->random_place && !several) {
        r->classes = 0;
        return "must have a period= of at least two on= for place=random";
    }
    r->classes = 0;
    return "must have calls=, delay=, and log= with an absolute path";
}

bool jst_rules_rank(int64_t rank)
{
    for (unsigned i = 0; i < jst_rule.ranges; i++)
        if (rank >= jst_rule.ranks[i].first && rank <= jst_rule.ranks[i].last)
            return true;
    return jst_rule.ranges == 0;
}
