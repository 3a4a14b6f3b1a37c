/* rounds.h: pairs of nodes that measure in each round: each pair once, all nodes busy at once. */
#ifndef JST_PROBE_ROUNDS_H
#define JST_PROBE_ROUNDS_H

#include <stdint.h>

/* How many rounds give each pair of n once. */
uint32_t jst_rounds(uint32_t n);

/* The partner of `me` in a round, both from 0 on; n or more: none in this round. */
uint32_t jst_round_partner(uint32_t n, uint32_t round, uint32_t me);

/* Puts 0 to n - 1 into an order that a seed decides: the same seed, the same order. */
void jst_rounds_order(uint32_t *order, uint32_t n, uint64_t seed);

#endif
