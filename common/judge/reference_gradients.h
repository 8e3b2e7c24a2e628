/* Computes the gradients of attention in float64, as a reference. */
#ifndef COMMON_REFERENCE_GRADIENTS_H
#define COMMON_REFERENCE_GRADIENTS_H

#include "common/gradients.h"
#include "common/judge/reference_attention.h"

/*
 * Computes dQ (Nq x d), dK (Nk x d) and dV (Nk x dv) by the contract of
 * gradients.h, from Q, K, V, dO and the sink (NO_SINK without one). Adds to dK
 * and dV if g->add. Returns the largest finite |dP| of an attended key, or -1
 * if out of memory. The largest |dP| bounds the digits that dP - D loses by
 * cancellation.
 */
double reference_gradients(const gradients *g, double sink, double *dQ,
                           double *dK, double *dV);

/*
 * Computes row i of the weights P, with the sink, and of dS times the derivative
 * of the scores, with or without the subtraction of D from dP. p and ds have Nk
 * numbers. Returns the largest finite |dP| of an attended key.
 */
double reference_gradient_row(const gradients *g, size_t i, double sink,
                              bool with_D, double *p, double *ds);

#endif
