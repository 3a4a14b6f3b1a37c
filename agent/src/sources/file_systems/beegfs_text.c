/* beegfs_text.c: parses beegfs-ctl's output (beegfs_text.h). A line is "10.0.0.7 12 [sum] 3 [open]
 * 4096 [B-rd]"; zeros are not printed. Lines of another form are banners.
 */
#include "beegfs_text.h"

#include <string.h>

#define META JST_STORAGE_META_OPS
#define NOTHING JST_BEEGFS_CELLS

/* Those that are not metadata operations. */
static const struct {
    const char *name;
    unsigned cell;
} operations[] = {
    {"B-rd", JST_STORAGE_READ_BYTES},
    {"B-wr", JST_STORAGE_WRITE_BYTES},
    {"ops-rd", JST_STORAGE_READ_OPS},
    {"ops-wr", JST_STORAGE_WRITE_OPS},
    {"fsync", JST_STORAGE_SYNC_OPS},
    {"sum", NOTHING},
    /* of the servers among themselves and with the management */
    {"ack", NOTHING},
    {"hrtbeat", NOTHING},
    {"gendbg", NOTHING},
    {"nodeInf", NOTHING},
    {"storInf", NOTHING},
    {"remNode", NOTHING},
    {"mirror", NOTHING},
    {"refrEnt", NOTHING},
};

static unsigned cell_of(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strlen(operations[i].name) == n && !memcmp(operations[i].name, name, n))
            return operations[i].cell;
    return META;
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* A number; false for one with a fraction or an exponent, which has lost digits. */
static bool number(const char *at, const char *end, uint64_t *to)
{
    uint64_t v = 0;
    if (at == end)
        return false;
    for (; at < end; at++)
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*at - '0'), &v))
            return false;
    *to = v;
    return true;
}

/* "12 [sum]": adds it. Returns what is after it, NULL: it is no such pair. */
static const char *take_pair(jst_beegfs_client *c, const char *at, const char *end)
{
    uint64_t v;
    const char *value = at;
    while (at < end && *at != ' ')
        at++;
    const char *value_end = at;
    at = skip_spaces(at, end);
    if (at == end || *at != '[' || value == value_end || *value < '0' || *value > '9')
        return NULL;
    const char *name = ++at;
    while (at < end && *at != ']')
        at++;
    if (at == end || at == name)
        return NULL;
    unsigned cell = cell_of(name, (size_t)(at - name));
    if (cell == NOTHING)
        return at + 1;
    if (!number(value, value_end, &v) || c->value[cell] + v < v)
        c->unknown |= 1u << cell;
    else
        c->value[cell] += v;
    return at + 1;
}

static bool take_line(jst_beegfs_client *c, const char *at, const char *end)
{
    memset(c, 0, sizeof *c);
    const char *name = at = skip_spaces(at, end);
    while (at < end && *at != ' ')
        at++;
    size_t n = (size_t)(at - name);
    if (!n || n >= sizeof c->name || (n == 4 && !memcmp(name, "Sum:", 4)))
        return false;
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)name[i] < 0x21 || (unsigned char)name[i] > 0x7e)
            return false;
        c->name[i] = name[i];
    }
    at = skip_spaces(at, end);
    if (at == end)
        return false;
    while (at && at < end) {
        at = take_pair(c, at, end);
        if (at)
            at = skip_spaces(at, end);
    }
    return at != NULL;
}

bool jst_beegfs_clients(const char *text, size_t n,
                        void (*each)(void *to, const jst_beegfs_client *client), void *to)
{
    for (const char *end; (end = memchr(text, '\n', n));) {
        jst_beegfs_client c;
        if (take_line(&c, text, end))
            each(to, &c);
        n -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    return !n;
}
