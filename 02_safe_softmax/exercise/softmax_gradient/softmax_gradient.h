/*
 * Exercise 02: the backward pass through a softmax.
 *
 * docs/02_safe_softmax.md; the next hint: make hint-02 E=softmax_gradient
 */
#ifndef SOFTMAX_GRADIENT_H
#define SOFTMAX_GRADIENT_H

#include <stddef.h>

/*
 * Some loss depends on p = softmax(x), and g_i = dloss/dp_i. Stores
 * dx_i = dloss/dx_i for all n scores, with
 *
 *     dp_j / dx_i = p_i (1 - p_i) for j = i, and -p_i p_j for all other j,
 *
 * in a few passes over the row. It computes no n x n numbers and allocates
 * nothing. dx has room for n floats, and is neither x nor g. The scores may be
 * large.
 *
 *   a score of -inf is masked: its dx is 0 for any g; if all scores are masked,
 *   all dx are 0
 *   a NaN or +inf among the scores: every dx is NaN
 */
void softmax_gradient(const float *x, const float *g, float *dx, size_t n);

#endif
