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
 * Returns the range of scores x for which naive softmax of n >= 1 equal scores
 * x works. Each weight is e^x / sum. The largest number of the floating-point
 * type is `largest`, and its smallest number above 0 is `smallest`. e^x is
 * rounded to this type. The exact sum of the rounded e^x is rounded once.
 *
 *   highest: the sum is infinite for every larger x
 *   lowest: e^x is rounded to 0 for every smaller x. A number between
 *   smallest / 2 and `smallest` is rounded up.
 *
 * Both limits must be right within 0.01, also for fp64, where `smallest` is
 * 4.9e-324.
 */
score_range score_limits(double largest, double smallest, size_t n);

#endif
