/* rounds.c: round-robin pairs by the circle method: one node is fixed, the others rotate. */
#include "rounds.h"

/* With an odd number a dummy takes part. */
static uint32_t even(uint32_t n)
{
    return n + (n & 1);
}

uint32_t jst_rounds(uint32_t n)
{
    return n < 2 ? 0 : even(n) - 1;
}

uint32_t jst_round_partner(uint32_t n, uint32_t round, uint32_t me)
{
    const uint32_t moving = even(n) - 1;

    if (me == moving) /* the fixed one, paired with each in turn */
        return round % moving;
    if (me == round % moving)
        return moving;
    /* Those at the same distance before and after are paired. */
    return (uint32_t)((2 * (uint64_t)(round % moving) + moving - me) % moving);
}

void jst_rounds_order(uint32_t *order, uint32_t n, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1; /* xorshift needs a state that is not 0 */

    for (uint32_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint32_t j = (uint32_t)(state % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}
