/*
 * One backward step on one problem: what it read and wrote, how far the
 * gradients are from float64, and how long it took.
 */
#ifndef COMMON_LESSON_MEASURE_BACKWARD_H
#define COMMON_LESSON_MEASURE_BACKWARD_H

#include "common/lesson/measure.h"

typedef struct {
    problem forward;      /* Q, K, V, O, L; M, only and status hold for both */
    npy_array dO;         /* as O */
    npy_array dQ, dK, dV; /* as Q, K, V; written */
    /* The gradients in float64, made on demand: of the first `known` query heads
     * and their key heads. */
    double *truth_Q, *truth_K, *truth_V;
    size_t known;
} backward_problem;

/* ||dQ - truth|| / ||truth|| and so on. */
typedef struct {
    double dQ, dK, dV;
} gradient_errors;

typedef struct {
    const attention_step *step;
    bool done;        /* false if --step named another step */
    tile_sizes tiles; /* 0, 0 if the step has none */
    counts counted;   /* over all heads */
    counts formula;   /* the same by closed form */
    counts forward;   /* of the forward pass before it */
    gradient_errors errors;
    double error;   /* the largest of the three; NaN if one is */
    bool judged;    /* against float64: is the error known? */
    double seconds; /* the fastest run's, of the backward step alone */
} backward_measurement;

/*
 * Adds random dO and room for the gradients to b->forward, which problem_of or the
 * like has made. Returns b->forward.status. backward_free in any case.
 */
int backward_problem_set_up(backward_problem *b);
void backward_free(backward_problem *b);

/* The backward problem of query head nth (gradients_of). */
gradients gradients_at(const backward_problem *b, size_t nth);

/*
 * Runs the step three times on all heads, each after its forward pass, and
 * measures it. Like measure: b->forward.status is 0 or an exit code.
 */
void measure_backward(backward_measurement *m, backward_problem *b,
                      const attention_step *step);
void measure_backward_runs(backward_measurement *m, backward_problem *b,
                           const attention_step *step, size_t runs);

/* dQ, dK and dV of every head once; adds to m's counts, and lowers its seconds.
 * Returns 0, or an exit code after one line on stderr. */
int backward_run(backward_measurement *m, backward_problem *b,
                 const attention_step *step);

/*
 * The gradients' errors against float64: of as many groups of heads as take about
 * a second, or of a first one that takes up to a quarter of a minute; all NaN if
 * none is known.
 */
gradient_errors problem_gradient_errors(backward_problem *b);

/*
 * What the distances of the known gradients are divided by. For dQ and dK it is at
 * least 2^-8 of what their rows would be if dP - D did not cancel: in rows with
 * one key it cancels to 0, and only rounding is left.
 */
gradient_errors gradient_sizes_of(const backward_problem *b);

/* The largest of the three; NaN if one is. */
double worst_gradient_error(gradient_errors e);

/* Two tables of n backward steps, and the tiles. */
void print_measured_backward(const backward_measurement m[], size_t n);

/* Of which heads the errors are, if not of all; then an empty line. */
void print_known_heads(const backward_problem *b);

#endif
