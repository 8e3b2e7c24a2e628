/*
 * Exercise 02: the backward pass through a softmax.
 *
 * docs/02_safe_softmax.md; the next hint: make hint-02 E=softmax_gradient
 */
#ifndef SOFTMAX_GRADIENT_H
#define SOFTMAX_GRADIENT_H

#include <stddef.h>

/*
 * A loss depends on p = softmax(x), and g_i = dloss/dp_i. Stores dx_i =
 * dloss/dx_i for all n scores. The derivatives of the weights are
 *
 *     dp_j / dx_i = p_i (1 - p_i) for j = i, and -p_i p_j for all other j.
 *
 * Makes a few passes over the row, without an n x n matrix, and allocates no
 * memory. dx has n floats, and is neither x nor g. The scores may be large.
 *
 *   a score of -inf is masked: its dx is 0 for any g; if all scores are masked,
 *   all dx are 0
 *   if a score is NaN or +inf, every dx is NaN
 */
void softmax_gradient(const float *x, const float *g, float *dx, size_t n);

#endif
