/* text.c: sizes, times and names as people write them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

/* Decimal digits with an optional fraction, as whole units and billionths; NULL when it is none. */
static const char *read_decimal(const char *text, uint64_t *whole, uint64_t *billionths)
{
    unsigned digits = 0;
    uint64_t scale = 100000000;

    *whole = *billionths = 0;
    for (; isdigit((unsigned char)*text); text++, digits++) {
        if (*whole > (UINT64_MAX - 9) / 10)
            return NULL;
        *whole = *whole * 10 + (uint64_t)(*text - '0');
    }
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++, digits++, scale /= 10)
            *billionths += (uint64_t)(*text - '0') * scale;
    return digits ? text : NULL;
}

bool jst_parse_size(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *unit;
        unsigned shift;
    } units[] = {{"", 0},     {"B", 0},  {"K", 10},   {"k", 10}, {"KiB", 10}, {"M", 20},
                 {"MiB", 20}, {"G", 30}, {"GiB", 30}, {"T", 40}, {"TiB", 40}};
    uint64_t whole, part;
    const char *unit = read_decimal(text, &whole, &part);

    if (!unit)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].unit) != 0)
            continue;
        uint64_t one = UINT64_C(1) << units[i].shift;
        if (whole > (UINT64_MAX >> 1) / one || (part && one == 1))
            return false;
        *bytes = whole * one + (uint64_t)((double)part / 1e9 * (double)one);
        return true;
    }
    return false;
}

bool jst_parse_seconds(const char *text, int64_t *ns)
{
    uint64_t whole, part, second = 1000000000;
    const char *unit = read_decimal(text, &whole, &part);

    if (!unit)
        return false;
    if (strcmp(unit, "ms") == 0)
        second = 1000000;
    else if (strcmp(unit, "min") == 0)
        second *= 60;
    else if (*unit && strcmp(unit, "s") != 0)
        return false;
    if (whole > (uint64_t)INT64_MAX / second - 60)
        return false;
    *ns = (int64_t)(whole * second + part * second / 1000000000);
    return true;
}

/* Restricted edit distance: how many letters must be inserted, left out, replaced or swapped. */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    unsigned rows[3][LONGEST + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (unsigned j = 0; j <= m; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= n; i++) {
        unsigned *now = rows[i % 3], *before = rows[(i - 1) % 3], *two = rows[(i + 1) % 3];
        now[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            unsigned best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two[j - 2] + 1 < best)
                best = two[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *jst_nearest(const char *text, const char *(*name)(size_t), size_t count)
{
    const char *best = NULL;
    size_t length = strlen(text);
    unsigned least = length < 4 ? 2 : 4; /* exclusive: so many wrong letters make another word */

    for (size_t i = 0; i < count; i++) {
        unsigned d = distance(text, name(i));
        /* The beginning of a name, of at least three letters, counts as one wrong letter. */
        if (d > 1 && length >= 3 && strncmp(text, name(i), length) == 0)
            d = 1;
        if (d < least) {
            least = d;
            best = name(i);
        }
    }
    return best;
}
