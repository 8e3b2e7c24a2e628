/*
 * Exercise 02: the logarithm of a sum of exponentials, without overflow.
 *
 * docs/02_safe_softmax.md; the next hint: make hint-02 E=logsumexp
 */
#ifndef LOGSUMEXP_H
#define LOGSUMEXP_H

#include <stddef.h>

/*
 * Returns L = ln(e^{x_0} + ... + e^{x_{n-1}}) of n scores. The error is at most
 * 1e-6 + n 2^-25 + 2^-23 |L| for all scores, even for scores of 1e30 or -1e30.
 *
 *   a score of -inf adds nothing; if all scores are -inf, or n = 0, L is -inf
 *   if a score is NaN or +inf, L is NaN, so that the error is visible
 */
float logsumexp(const float *x, size_t n);

#endif
