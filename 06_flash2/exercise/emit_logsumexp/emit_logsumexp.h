/*
 * Exercise 06: finish a row as FlashAttention-2 does, and emit L.
 * The backward pass recomputes the weights from the scores and L.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=emit_logsumexp
 */
#ifndef EMIT_LOGSUMEXP_H
#define EMIT_LOGSUMEXP_H

#include <stddef.h>

/*
 * Finishes a row after the last tile of keys. m is the largest score, l the sum
 * of e^{s - m}, and o the sum of e^{s - m} v, which has dv elements. Divides o
 * by l, and returns the row's logsumexp, with the natural logarithm:
 *
 *     L = ln sum_j e^{s_j}
 *
 *   a row with nothing to attend to has m = -inf, l = 0 and o = 0: o stays 0,
 *   and L is -inf
 *   L is finite for every finite m and l > 0, also for m = 10000
 *   if l is NaN, o and L are NaN
 */
float finish_row(float *o, size_t dv, float m, float l);

/*
 * Returns the weight e^s / sum_j e^{s_j} of a score s, computed from the row's
 * L instead of the sum. s and L may be 10000 or -10000.
 *
 *   if s is -inf, the weight is 0, also in a row with nothing to attend to
 *   if L is NaN and s is not -inf, the weight is NaN
 */
float weight_again(float s, float L);

#endif
