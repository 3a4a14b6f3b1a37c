/* random_delays.c: which calls are delayed and for how long.
 *
 * A counter-based generator: a number is a function of its index, not of earlier numbers. So the
 * delay of the n-th call of a class in a rank depends on the seed, the rank, the class and n, on no
 * thread, no clock and no other class. Logarithm and similar functions are implemented here: we do
 * not load libm into the user's processes, and all machines draw the same.
 */
#include "injector.h"

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#define STEP 0x9e3779b97f4a7c15u

uint64_t jst_chance_key(uint64_t seed, int64_t rank, uint32_t ordinal, unsigned klass)
{
    uint64_t key = mix(seed + STEP);
    key = mix(key ^ (uint64_t)(rank + 1));
    key = mix(key ^ ordinal);
    return mix(key + klass * STEP);
}

/* Number `draw` (below DRAWS) of the n-th call: in (0, 1). */
#define DRAWS 64u
static double uniform(uint64_t key, uint64_t n, unsigned draw)
{
    uint64_t bits = mix(key + (n * DRAWS + draw + 1) * STEP) >> 11;
    return ((double)bits + 0.5) * 0x1p-53;
}

/* RATIONALE: of seed and period alone, not of the rank: the processes of a run, on all its nodes, are
 * in a window together without asking each other. */
uint64_t jst_place(uint64_t seed, uint64_t period, uint64_t places)
{
    return (uint64_t)(uniform(mix(seed + 2 * STEP), period, 0) * (double)places);
}

typedef union jst_bits {
    double value;
    uint64_t bits;
} jst_bits;

#define LN2 0.69314718055994530942

/* Of a positive, normal number, to a part in 10^14. */
static double logarithm(double x)
{
    jst_bits b = {.value = x};
    int exponent = (int)(b.bits >> 52) - 1023;
    b.bits = (b.bits & 0xfffffffffffffu) | UINT64_C(1023) << 52; /* in [1, 2) */
    if (b.value > 1.4142135623730951) {
        b.value /= 2;
        exponent++;
    }
    double s = (b.value - 1) / (b.value + 1), square = s * s, sum = 0;
    for (int k = 19; k > 0; k -= 2)
        sum = sum * square + 1.0 / k;
    return exponent * LN2 + 2 * s * sum;
}

static double exponential(double x) /* |x| below 700 */
{
    int k = (int)(x / LN2 + (x < 0 ? -0.5 : 0.5));
    double r = x - k * LN2, sum = 1;
    for (int i = 14; i > 0; i--)
        sum = 1 + sum * r / i;
    jst_bits scale = {.bits = (uint64_t)(1023 + k) << 52};
    return sum * scale.value;
}

static double cosine_of_turn(double u) /* of 2 pi u, u in (0, 1) */
{
    double x = 6.283185307179586 * (u - 0.5), square = x * x, sum = 1; /* in (-pi, pi) */
    for (int i = 24; i > 0; i -= 2)
        sum = 1 - sum * square / ((double)i * (i - 1));
    return -sum;
}

/* Normal, by Box and Muller; below zero it is drawn again: the distribution is cut off, not heaped up
 * at zero. The mean is not negative, so 31 failures in a row do not occur. */
static double gauss(const jst_rules *rules, uint64_t key, uint64_t n)
{
    for (unsigned draw = 1; draw + 1 < DRAWS; draw += 2) {
        double radius = __builtin_sqrt(-2 * logarithm(uniform(key, n, draw)));
        double x =
            rules->size_ns + rules->spread_ns * radius * cosine_of_turn(uniform(key, n, draw + 1));
        if (x > 0)
            return x;
    }
    return rules->size_ns;
}

static double pareto(const jst_rules *rules, uint64_t key, uint64_t n)
{
    double power = -logarithm(uniform(key, n, 1)) / rules->spread_ns;
    double x = power < 600 ? rules->size_ns * exponential(power) : rules->most_ns;
    return x < rules->most_ns ? x : rules->most_ns;
}

bool jst_chance(const jst_rules *rules, uint64_t key, uint64_t n, uint64_t *ns)
{
    if (uniform(key, n, 0) >= rules->probability)
        return false;
    double x = rules->shape == JST_FIXED   ? rules->size_ns
               : rules->shape == JST_GAUSS ? gauss(rules, key, n)
                                           : pareto(rules, key, n);
    *ns = (uint64_t)(x + 0.5);
    return true;
}
