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
 * A row was cut into blocks, and each block was given to a worker. parts are
 * the results of n workers, in the order in which they finished. Returns the
 * logsumexp of the whole row, L = ln sum e^x = m + ln l.
 *
 *   a part without scores, or of masked ones, is (-inf, 0) and changes nothing;
 *   if all parts are like this, or n = 0, L is -inf
 *   m may be 10000 or -10000: if the scores are finite, so is L
 *   the order of the parts changes only the rounding of L
 *   a NaN in any l: L is NaN
 */
float logsumexp_of_parts(const part *parts, size_t n);

#endif
