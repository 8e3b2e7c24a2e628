/*
 * Exercise 06: finish a row as FlashAttention-2 does, and emit L.
 * From L alone the backward pass recomputes the weights.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=emit_logsumexp
 */
#ifndef EMIT_LOGSUMEXP_H
#define EMIT_LOGSUMEXP_H

#include <stddef.h>

/*
 * Finishes a row after the last tile of keys. m: the largest score; l: sum of
 * e^{s - m}; o: dv elements, sum of e^{s - m} v, not yet divided. Divides o by
 * l, and returns the row's logsumexp:
 *
 *     L = ln sum_j e^{s_j}                  natural logarithm
 *
 *   a row with nothing to attend to has m = -inf, l = 0, o = 0: o stays 0,
 *   and L is -inf
 *   L is finite for every finite m and l > 0: m may be 10000
 *   a NaN in l: o and L are NaN
 */
float finish_row(float *o, size_t dv, float m, float l);

/*
 * Returns the weight of a score in a row with this L: e^s / sum_j e^{s_j},
 * without the sum. It is as exact as s and L, also if they are 10000 or -10000.
 *
 *   s = -inf: weight 0, also in a row with nothing to attend to
 *   a NaN in L, and s not -inf: NaN
 */
float weight_again(float s, float L);

#endif
