/*
 * One backward step on one problem: how far its gradients are from the truth,
 * which is float64 over the layer's heads, once for all steps; what it cost, and
 * how long it took.
 */
#ifndef COMMON_BACKWARD_MEASURE_H
#define COMMON_BACKWARD_MEASURE_H

#include "common/judge/attention_measure.h"

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

/* ||dQ - truth|| / ||truth|| and so on, over what is known: NaN if that is
 * nothing. What is NaN or infinite in both alike is right. */
gradient_errors gradient_errors_of(const backward_layer *b,
                                   const gradient_truth *truth);

/* The largest of the three; NaN if one is. */
double worst_gradient_error(gradient_errors e);

/* The step on the problem, with the best time of that many runs. Returns an
 * exit code. */
int measure_backward(const backward_layer *b, const backward_step *step,
                     size_t M, size_t runs, const gradient_truth *truth,
                     measurement *m);

/* The measurement of that kernel, which must be among them. */
const measurement *backward_measured(const measurement m[],
                                     backward_fn *kernel);

#endif
