/*
 * For tests: heads by a rung of the way back, against float64. fp32 may cost
 * what gradient_case.h says. In 16 bits there is added what rounding to bf16 may
 * cost each element of a gradient, at 2^-8 for each rounding: the weight, and
 * dS, before a product; O, from which D is made; and the result. Sums of what is
 * multiplied, each in its size.
 */
#ifndef CUDA_GRADIENT_BOUNDS_H
#define CUDA_GRADIENT_BOUNDS_H

#include "common/testing/gradient_case.h"

enum { MOST_HEADS = 4 };

/*
 * n heads of one shape, each `group` of which share K and V: those of the first
 * one, and dK and dV are added up there. Fails the running test unless all
 * gradients are right. Not in fp32: Q, K, V and dO are rounded to bf16 first.
 */
void check_heads(const backward_step *step, bool fp32, gradient_case c[],
                 size_t n, size_t group);

#endif
