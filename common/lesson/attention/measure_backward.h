/* Measures a backward step: traffic, errors of the gradients, and time. */
#ifndef COMMON_LESSON_MEASURE_BACKWARD_H
#define COMMON_LESSON_MEASURE_BACKWARD_H

#include "common/gradients.h"
#include "common/lesson/attention/measure.h"

typedef struct {
    problem forward;      /* Q, K, V, O, L; the fields M, only and status also
                             apply to the backward pass */
    npy_array dO;         /* shape of O */
    npy_array dQ, dK, dV; /* shapes of Q, K, V; written by the step */
    /* The gradients in float64 of the first `known` query heads and their key
     * heads, computed on demand. */
    double *truth_Q, *truth_K, *truth_V;
    size_t known;
} backward_problem;

/* ||dQ - truth|| / size (gradient_sizes_of), and the same for dK and dV. */
typedef struct {
    double dQ, dK, dV;
} gradient_errors;

typedef struct {
    const backward_step *step;
    bool done;        /* false if the step was not run */
    tile_sizes tiles; /* 0, 0 if the step has no tiles */
    counts counted;   /* over all heads */
    counts formula;   /* the same traffic by closed form */
    counts forward;   /* counts of the step's forward pass */
    gradient_errors errors;
    double error;   /* the largest of errors; NaN if one is NaN */
    bool judged;    /* true if the errors against float64 are known */
    double seconds; /* of the fastest run, without the forward pass */
} backward_measurement;

/* Allocates a random dO and arrays for the gradients. problem_of or a similar
 * function must have set up b->forward. Returns b->forward.status. The caller
 * must call backward_free, also after a failure. */
int backward_problem_set_up(backward_problem *b);
void backward_free(backward_problem *b);

/* Returns the backward problem of query head nth. */
gradients gradients_at(const backward_problem *b, size_t nth);

/* Runs the step three times on all heads, each head after its forward pass, and
 * measures it. Sets b->forward.status as measure does. */
void measure_backward(backward_measurement *m, backward_problem *b,
                      const backward_step *step);
void measure_backward_runs(backward_measurement *m, backward_problem *b,
                           const backward_step *step, size_t runs);

/* Computes dQ, dK and dV of every head once. Sets m->counted and m->forward,
 * and m->seconds if this run was faster. Returns 0, or an exit code after one
 * line on stderr. */
int backward_run(backward_measurement *m, backward_problem *b,
                 const backward_step *step);

/* Returns the number of rows of truth_Q. */
size_t known_queries(const backward_problem *b);

/* Returns the number of rows of truth_K and of truth_V. */
size_t known_keys(const backward_problem *b);

/* Returns the errors of the gradients against float64. They cover as many
 * groups of heads as take about a second in float64, or one group if it takes
 * at most about 16 seconds. All errors are NaN if one group takes longer, or if
 * out of memory. */
gradient_errors problem_gradient_errors(backward_problem *b);

/*
 * Returns the norms by which the errors are divided. For dQ and dK the norm of
 * the truth can be 0 by cancellation in dP - D, for example in rows with one
 * key. So the result is at least 2^-8 of an estimate without cancellation, from
 * scale and the largest rows of dO, V, and K or Q.
 */
gradient_errors gradient_sizes_of(const backward_problem *b);

/* Returns the largest of the errors of dQ, dK and dV, or NaN if one is NaN. */
double worst_gradient_error(gradient_errors e);

/* Prints two tables of n backward steps, and the tile sizes. */
void print_measured_backward(const backward_measurement m[], size_t n);

/* Prints how many heads the errors cover, unless they cover all. */
void print_known_heads(const backward_problem *b);

#endif
