/*
 * The oracle for attention and its gradients: float64 of the same fp32 inputs,
 * by the plain forms.
 */
#ifndef COMMON_REFERENCE_ATTENTION_H
#define COMMON_REFERENCE_ATTENTION_H

#include "common/gradients.h"

/*
 * O (Nq x dv) and L (Nq; may be NULL) of the head, by the contract of head.h.
 * Returns 0, or 1 without memory for a row of Nk doubles.
 */
int reference_attention(const head *h, double *O, double *L);

/* P of query i, Nk weights; and the maximum m and the sum l that they have. */
void reference_weights(const head *h, size_t i, double *p, double *m,
                       double *l);

/* The final score of query i against key j; -inf if it is not attended. */
double reference_score(const head *h, size_t i, size_t j);

/*
 * dQ (Nq x d), dK (Nk x d) and dV (Nk x dv) by the contract of gradients.h,
 * from Q, K, V and dO alone; dK and dV are added to if g->add. Returns the
 * largest finite |dP| of a key that is attended, against which the difference
 * dP - D may cancel; or -1 without memory for two rows of Nk doubles.
 */
double reference_gradients(const gradients *g, double *dQ, double *dK,
                           double *dV);

#endif
