/*
 * For tests: what rounding to bf16 may cost each element of a gradient, at 2^-8
 * for each rounding: the weight, and dS, before a product; O, from which D is
 * made; and the result. Sums of what is multiplied, each in its size.
 */
#ifndef CUDA_GRADIENT_BOUNDS_H
#define CUDA_GRADIENT_BOUNDS_H

#include "common/testing/gradient_case.h"

/* Q, K, V and dO of the case to bf16, before anything is computed from them. */
void round_to_bf16(gradient_case *c);

/* Adds to dQ, dK and dV what roundings inside may cost there; the expected
 * gradients must be known. */
void add_bounds(const gradient_case *c, double *dQ, double *dK, double *dV);

/* Fails the running test unless each element is within its bound, the rounding
 * of the result, and what fp32 may cost; without bounds, what fp32 may cost. */
void check_within(const char *what, matrix got, const double *want,
                  const double *bound, double fp32);

/* All that for one case. */
void check_16_bits(const attention_subject *s, gradient_case *c);

#endif
