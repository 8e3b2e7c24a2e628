/*
 * Measures one backward step on one problem: traffic, errors of the gradients
 * against float64, and time.
 */
#ifndef COMMON_LESSON_MEASURE_BACKWARD_H
#define COMMON_LESSON_MEASURE_BACKWARD_H

#include "common/gradients.h"
#include "common/lesson/measure.h"

typedef struct {
    problem forward;      /* Q, K, V, O, L; and M, only and status of both */
    npy_array dO;         /* shape of O */
    npy_array dQ, dK, dV; /* shapes of Q, K, V; written */
    /* The gradients in float64, computed on demand: of the first `known` query
     * heads and their key heads. */
    double *truth_Q, *truth_K, *truth_V;
    size_t known;
} backward_problem;

/* ||dQ - truth|| / ||truth||, and the same for dK and dV. */
typedef struct {
    double dQ, dK, dV;
} gradient_errors;

typedef struct {
    const backward_step *step;
    bool done;        /* false if --step named another step */
    tile_sizes tiles; /* 0, 0 if the step has none */
    counts counted;   /* over all heads */
    counts formula;   /* the same by closed form */
    counts forward;   /* of the forward pass before it */
    gradient_errors errors;
    double error;   /* the largest of the three; NaN if one is */
    bool judged;    /* true if error is known, against float64 */
    double seconds; /* the fastest run's, of the backward step alone */
} backward_measurement;

/* Adds random dO and arrays for the gradients to b->forward, which problem_of
 * or a similar function has set up. Returns b->forward.status. The caller calls
 * backward_free in any case. */
int backward_problem_set_up(backward_problem *b);
void backward_free(backward_problem *b);

/* Returns the backward problem of query head nth (gradients_of). */
gradients gradients_at(const backward_problem *b, size_t nth);

/* Runs the step three times on all heads, each after its forward pass, and
 * measures it. Like measure: b->forward.status is 0 or an exit code. */
void measure_backward(backward_measurement *m, backward_problem *b,
                      const backward_step *step);
void measure_backward_runs(backward_measurement *m, backward_problem *b,
                           const backward_step *step, size_t runs);

/* Computes dQ, dK and dV of every head once. Adds to m's counts, and sets its
 * seconds if faster. Returns 0, or an exit code after one line on stderr. */
int backward_run(backward_measurement *m, backward_problem *b,
                 const backward_step *step);

/* Returns the gradients' errors against float64. Computes as many groups of
 * heads as take about a second, or the first group if it takes at most 15
 * seconds. All are NaN if no head is known. */
gradient_errors problem_gradient_errors(backward_problem *b);

/*
 * Returns the norms by which the distances of the known gradients are divided.
 * For dQ and dK a norm is at least 2^-8 of its value without cancellation in dP
 * - D: in rows with one key dP - D cancels to 0, and only rounding remains.
 */
gradient_errors gradient_sizes_of(const backward_problem *b);

/* Returns the largest of the three; NaN if one is NaN. */
double worst_gradient_error(gradient_errors e);

/* Prints two tables of n backward steps, and the tiles. */
void print_measured_backward(const backward_measurement m[], size_t n);

/* Prints the heads that the errors cover, unless they cover all; then an empty
 * line. */
void print_known_heads(const backward_problem *b);

#endif
