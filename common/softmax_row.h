/*
 * One row for a softmax step of chapters 01-03. x and y are in HBM. Steps
 * access them by get and put, which count the elements. The number of passes
 * over the row is read / n.
 */
#ifndef COMMON_SOFTMAX_ROW_H
#define COMMON_SOFTMAX_ROW_H

#include "common/precision.h"

typedef struct {
    size_t n;       /* elements in the row; 0 is allowed */
    const float *x; /* n scores */
    float *y;       /* n weights, written by the step; y = x is allowed */
    float L;        /* ln sum_i e^{x_i}, written by the step; -inf if n is 0 */
    size_t block;   /* elements per block, >= 1; only for merged_softmax */
    precision type; /* y is stored in this type */
    size_t read, written; /* counts of elements; a step adds to them */
} softmax_row;

/*
 * A step computes y_i = e^{x_i} / sum_j e^{x_j}, and L. A score of -inf has
 * weight 0. If all scores are -inf, y is 0 and L is -inf. If a score is +inf or
 * NaN, all weights and L are NaN. naive_softmax does not satisfy this contract;
 * chapter 01 shows where it fails.
 */
typedef void softmax_fn(softmax_row *r);

typedef struct {
    const char *name, *idea;
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
