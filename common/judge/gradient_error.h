/*
 * How far a layer's gradients are from the truth: float64 over its heads, once,
 * for any number of steps to be compared with.
 */
#ifndef COMMON_GRADIENT_ERROR_H
#define COMMON_GRADIENT_ERROR_H

#include "common/problem/backward_layer.h"

typedef struct {
    size_t heads;         /* query heads that are known, from the first on */
    double *dQ, *dK, *dV; /* of them and of their key heads */
} gradient_truth;

/*
 * As many groups of heads as take about a second, or a first one that takes up
 * to a quarter of a minute; perhaps none. Returns 0, or 1 after one line on
 * stderr. gradient_truth_free frees.
 */
int gradient_truth_of(const backward_layer *b, gradient_truth *truth);
void gradient_truth_free(gradient_truth *truth);

typedef struct {
    double dQ, dK, dV;
} gradient_errors;

/* ||dQ - truth|| / ||truth|| and so on, over what is known: NaN if that is
 * nothing. What is NaN or infinite in both alike is right. */
gradient_errors gradient_errors_of(const backward_layer *b,
                                   const gradient_truth *truth);

/* The largest of the three; NaN if one is. */
double worst_gradient_error(gradient_errors e);

#endif
