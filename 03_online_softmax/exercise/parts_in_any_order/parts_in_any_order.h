/*
 * Exercise 03: merge the blocks of a row in the order in which workers finish.
 *
 * docs/03_online_softmax.md; hint: make hint-03 E=parts_in_any_order
 */
#ifndef PARTS_IN_ANY_ORDER_H
#define PARTS_IN_ANY_ORDER_H

#include <stddef.h>

/* The state of a block of scores x: m = max x, l = sum e^{x - m}. */
typedef struct {
    float m, l;
} part;

/*
 * Returns the logsumexp of a whole row, L = ln sum e^x = m + ln l. The row was
 * cut into n blocks, and each block was given to a worker thread. `parts` has
 * the states of the n blocks, in the order in which the threads finished.
 *
 *   a part without scores, or with masked scores only, is (-inf, 0) and does
 *   not change L; if all parts are (-inf, 0), or n = 0, L is -inf
 *   if the scores are finite, L is finite, even for m = 10000 or m = -10000
 *   the order of the parts changes only the rounding of L
 *   if an l is NaN, L is NaN
 */
float logsumexp_of_parts(const part *parts, size_t n);

#endif
