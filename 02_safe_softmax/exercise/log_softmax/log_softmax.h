/*
 * Exercise 02: the logarithm of a softmax, without computing the softmax first.
 *
 * docs/02_safe_softmax.md; the next hint: make hint-02 E=log_softmax
 */
#ifndef LOG_SOFTMAX_H
#define LOG_SOFTMAX_H

#include <stddef.h>

/*
 * Stores y_i = ln(e^{x_i} / sum_j e^{x_j}) for n scores. The loss of a language
 * model uses y. y may be x. The error is at most
 * (1e-6 + n 2^-25) + 2^-22 |y_i| for all scores, even for 10000, -10000, or
 * -1000 in a row with 0.
 *
 *   a score of -inf gives y_i = -inf; if all scores are -inf, all y_i are -inf
 *   if a score is NaN or +inf, every y_i is NaN
 */
void log_softmax(const float *x, float *y, size_t n);

#endif
