/*
 * The oracle for the backward pass: float64 of the same fp32 inputs, by the
 * plain form.
 */
#ifndef COMMON_REFERENCE_GRADIENTS_H
#define COMMON_REFERENCE_GRADIENTS_H

#include "common/gradients.h"

/*
 * dQ (Nq x d), dK (Nk x d) and dV (Nk x dv) by the contract of gradients.h,
 * from Q, K, V and dO alone; dK and dV are added to if g->add. Returns the
 * largest finite |dP| of a key that is attended, against which the difference
 * dP - D may cancel; or -1 without memory for two rows of Nk doubles.
 */
double reference_gradients(const gradients *g, double *dQ, double *dK,
                           double *dV);

/* What forward kernels leave, rounded to fp32 from float64: O and L, and as far
 * as h->kept has them, P, m and l. Returns 0, or 1 without memory. */
int reference_forward(const head *h);

#endif
