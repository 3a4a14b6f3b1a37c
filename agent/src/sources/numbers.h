/* numbers.h: lines of numbers, as most files in /proc have them. */
#ifndef JST_NUMBERS_H
#define JST_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#define JST_MS_NS UINT64_C(1000000)

/** Reads up to n unsigned numbers, separated by blanks, up to the end of the line. Returns how many there
 *  are; anything else, or more than 64 bits, ends them. */
static inline unsigned jst_line_numbers(const char *p, uint64_t *to, unsigned n)
{
    unsigned have = 0;
    while (have < n) {
        while (*p == ' ' || *p == '\t')
            p++;
        uint64_t v = 0;
        bool fits = *p >= '0' && *p <= '9';
        for (; fits && *p >= '0' && *p <= '9'; p++)
            fits = !__builtin_mul_overflow(v, 10u, &v) &&
                   !__builtin_add_overflow(v, (unsigned)(*p - '0'), &v);
        if (!fits || (*p && *p != ' ' && *p != '\t' && *p != '\n'))
            break;
        to[have++] = v;
    }
    return have;
}

/** The next line; NULL: it was the last, or it is not whole. */
static inline const char *jst_next_line(const char *p)
{
    while (*p && *p != '\n')
        p++;
    return *p && p[1] ? p + 1 : NULL;
}

#endif
