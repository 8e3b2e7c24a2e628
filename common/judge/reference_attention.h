/*
 * The oracle for attention: float64 of the same fp32 inputs, by the plain
 * three-pass form.
 */
#ifndef COMMON_REFERENCE_ATTENTION_H
#define COMMON_REFERENCE_ATTENTION_H

#include "common/head.h"

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

#endif
