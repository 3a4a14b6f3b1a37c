/* say.c: writes lines to the journal; time, and small functions that all parts use. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "ship.h"

static char last[JST_TOPICS][400];

void jst_ship_say(enum jst_ship_topic topic, const char *format, ...)
{
    char line[sizeof last[0]];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (strcmp(line, last[topic]) == 0)
        return;
    memcpy(last[topic], line, sizeof line);
    /* Names and the receiver's text are not trusted: no control characters in the journal. */
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "jostle-ship: %s\n", line);
}

void jst_ship_hush(enum jst_ship_topic topic)
{
    last[topic][0] = 0;
}

int64_t jst_ship_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return t.tv_sec * JST_NS + t.tv_nsec;
}

uint64_t jst_ship_random(void)
{
    uint64_t n = 0;
    if (getrandom(&n, sizeof n, GRND_NONBLOCK) != sizeof n)
        n = (uint64_t)jst_ship_now() * 0x9e3779b97f4a7c15ULL;
    return n;
}

/* Four words at a time. Two states of a unit with one hash are too improbable by chance; a user who
 * constructs them damages only his own profile. */
uint64_t jst_ship_hash(const void *bytes, size_t n, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t word[4], h = seed ^ (n * 0x9e3779b97f4a7c15ULL);
    uint64_t lane[4] = {h, h ^ 0xa0761d6478bd642fULL, h ^ 0xe7037ed1a0b428dbULL, ~h};
    for (; n >= 32; p += 32, n -= 32) {
        memcpy(word, p, 32);
        for (int i = 0; i < 4; i++) {
            lane[i] = (lane[i] ^ word[i]) * 0xff51afd7ed558ccdULL;
            lane[i] ^= lane[i] >> 32;
        }
    }
    memset(word, 0, sizeof word);
    memcpy(word, p, n);
    for (int i = 0; i < 4; i++) {
        h = (h ^ lane[i]) * 0xc4ceb9fe1a85ec53ULL;
        h = (h ^ h >> 29 ^ word[i]) * 0xff51afd7ed558ccdULL;
        h ^= h >> 32;
    }
    return h ? h : 1;
}
