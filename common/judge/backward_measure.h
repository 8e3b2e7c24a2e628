/*
 * What is measured of one backward step on one problem.
 */
#ifndef COMMON_BACKWARD_MEASURE_H
#define COMMON_BACKWARD_MEASURE_H

#include "common/judge/gradient_error.h"

typedef struct {
    const backward_step *step;
    tile_sizes tiles;       /* 0, 0 if the step has none */
    counts formula;         /* of all heads */
    backward_cost cost;     /* its seconds: the fastest run's */
    gradient_errors errors; /* against float64, */
    bool judged;            /* if they are known */
} backward_measurement;

/* The step on the problem, with the best time of that many runs. Returns an
 * exit code. */
int measure_backward(const backward_layer *b, const backward_step *step,
                     size_t M, size_t runs, const gradient_truth *truth,
                     backward_measurement *m);

/* The measurement of that kernel, which must be among them. */
const backward_measurement *backward_measured(const backward_measurement m[],
                                              backward_fn *kernel);

#endif
