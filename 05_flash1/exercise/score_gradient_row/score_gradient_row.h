/*
 * Exercise 05, the backward pass: the gradient of a row's scores.
 *
 * docs/backward.md; the next hint: make hint-05 E=score_gradient_row
 */
#ifndef SCORE_GRADIENT_ROW_H
#define SCORE_GRADIENT_ROW_H

#include "common/matrix.h"

/* The row of one query in the forward pass, with n = V.rows keys. */
typedef struct {
    const float *p;  /* n weights p_j; 0 for a key that is not attended */
    const float *t;  /* n values tanh(z_j / c), c: softcap; NULL: no softcap */
    matrix V;        /* n x dv */
    const float *o;  /* dv values: the output, sum_j p_j V_j */
    const float *dO; /* dv values: derivative of the loss with respect to o */
    float scale;     /* z_j = scale q . k_j */
} attention_row;

/*
 * Stores ds_j, the derivative of the loss with respect to q . k_j, for each key
 * j. The loss depends on q . k_j in three steps: z_j = scale q . k_j, then
 * s_j = c tanh(z_j / c) if there is a softcap, then p = softmax(s).
 *
 *   if p_j is 0, ds_j is 0, even if V_j is inf or NaN
 *   if V_j is NaN for a key with p_j > 0, o is NaN, and ds_j is NaN for every
 *   key with p_j > 0
 */
void score_gradient_row(float *ds, const attention_row *r);

#endif
