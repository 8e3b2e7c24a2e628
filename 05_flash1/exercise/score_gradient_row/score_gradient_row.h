/*
 * Exercise 05, the backward pass: the gradient of a row's scores.
 *
 * docs/backward.md; the next hint: make hint-05 E=score_gradient_row
 */
#ifndef SCORE_GRADIENT_ROW_H
#define SCORE_GRADIENT_ROW_H

#include "common/matrix.h"

/* A row of the forward pass, n = V.rows keys, and the gradient of its output.
 */
typedef struct {
    const float *p;  /* n weights; 0 for a key that is not attended */
    const float *t;  /* n tanh(z / c) of the softcap c; NULL: no softcap */
    matrix V;        /* n x dv */
    const float *o;  /* dv: the output, sum_j p_j V_j */
    const float *dO; /* dv: the derivative of the loss by o */
    float scale;     /* z_j = scale q . k_j */
} attention_row;

/*
 * Stores ds_j, the derivative of the loss by q . k_j, for each key j. The loss
 * depends on it by z = scale q . k, s = c tanh(z / c) with a softcap, and
 * softmax.
 *
 *   a key of weight 0 has ds_j = 0, also if its V is inf or NaN;
 *   if a NaN is attended, ds is NaN
 */
void score_gradient_row(float *ds, const attention_row *r);

#endif
