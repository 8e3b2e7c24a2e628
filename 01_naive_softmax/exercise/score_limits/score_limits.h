/*
 * Exercise 01: the range of scores in which naive softmax works, for any type.
 *
 * docs/01_naive_softmax.md; the next hint: make hint-01 E=score_limits
 */
#ifndef SCORE_LIMITS_H
#define SCORE_LIMITS_H

#include <stddef.h>

typedef struct {
    double lowest, highest;
} score_range;

/*
 * Naive softmax of n >= 1 equal scores x gives each the weight e^x / sum. It
 * runs in a type whose largest number is `largest` and whose smallest above 0
 * is `smallest`; e^x is rounded to that type, and so is the sum, once.
 *
 *   highest: for a larger x the sum is infinite
 *   lowest: for a smaller x e^x is rounded to 0. A number above half of
 *   `smallest` is still rounded up to it.
 *
 * Returns both, to within 0.01. They must also be right for fp64, whose
 * smallest number is 4.9e-324.
 */
score_range score_limits(double largest, double smallest, size_t n);

#endif
