/*
 * One row for a softmax step of chapters 01-03. x and y are in HBM; steps
 * access them through get and put, which count. The passes over the row are
 * reads / n.
 */
#ifndef COMMON_SOFTMAX_ROW_H
#define COMMON_SOFTMAX_ROW_H

#include "common/precision.h"

typedef struct {
    size_t n;       /* elements in the row; 0 is allowed */
    const float *x; /* n scores */
    float *y;       /* n weights, written by the step; may be x itself */
    float L;        /* written: ln sum_i e^{x_i}; -inf for an empty row */
    size_t block;   /* elements per block, >= 1; only for merged_softmax */
    precision type; /* y is stored in this type */
    size_t read, written; /* in/out: elements of x and of y; a step adds */
} softmax_row;

/*
 * A step: y_i = e^{x_i} / sum_j e^{x_j}. Every step keeps this contract, except
 * naive_softmax, whose chapter shows where it fails:
 *   a score of -inf is not attended: weight 0; all -inf: y = 0, L = -inf
 *   +inf or NaN anywhere in the row: the whole row is NaN, and L too
 */
typedef void softmax_fn(softmax_row *r);

typedef struct {
    const char *name;
    precision type; /* the type that the step computes in */
    const char *idea;
    softmax_fn *run;
} softmax_step;

static inline float get(softmax_row *r, size_t i)
{
    r->read++;
    return r->x[i];
}

static inline void put(softmax_row *r, size_t i, float y)
{
    r->written++;
    r->y[i] = round_to(r->type, y);
}

#endif
