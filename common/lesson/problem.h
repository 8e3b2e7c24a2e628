/*
 * The attention problem of a program: the bundled layer of a language model or
 * random heads, with O and L to be written, and O in float64.
 */
#ifndef COMMON_LESSON_PROBLEM_H
#define COMMON_LESSON_PROBLEM_H

#include "common/layer.h"
#include "common/lesson/options.h"
#include "common/npy/npy.h"

#include <stdint.h>

/* The default of M. */
enum { USUAL_M = 8192 };

typedef struct {
    size_t B, Hq, Hk, Nq, Nk, d, dv;
    uint64_t seed;
} problem_sizes;

typedef struct {
    layer layer; /* its pointers point into the arrays */
    npy_array Q, K, V, O, L;
    size_t M;         /* elements on chip */
    const char *only; /* the step to be measured; NULL: all */
    bool found;       /* true once a step had that name */
    char steps[512];  /* names of the steps that can be measured */
    int status;       /* 0, or the exit code of the first failure */
    /* For flash, or NULL: a sink per query head, which the truth includes; and
     * the layer whose O is the truth: with an additive mask in the place of a
     * block mask. */
    const float *sinks;
    const layer *truth_of;
    /* O in float64, computed on demand: rows 0, every, 2 every ... of all
     * heads. */
    double *truth;
    size_t every;
} problem;

/*
 * Set up the bundled layer; random heads of these sizes; or one of the two,
 * selected by the options. Rows of random scores are peaked, not uniform:
 * unmasked scores have a standard deviation of about 3. For half of the queries
 * they rise, so that the maximum still grows at the end. scale is 1 / sqrt(d),
 * M is 8192, and there is no causal limit, unless the options set them. Return
 * p->status: 0; 1 for a file or memory, 2 for invalid sizes, after one line on
 * stderr. The caller calls problem_free in any case.
 */
int problem_bundled(problem *p);
int problem_random(problem *p, const problem_sizes *sizes);
int problem_of(problem *p, const lesson_options *o);
void problem_free(problem *p);

/* Sets up the layer from p's Q, K and V, and allocates O and L. Arrays of 3
 * dimensions have B = 1; arrays of 2 dimensions also have one head. The shapes
 * must match. Returns 0, or 1 after one line on stderr. */
int problem_set_up(problem *p);

/* Checks that the query heads are a multiple of the key heads, and that the
 * counts of every step fit in size_t. Then no sum or product of sizes in this
 * project overflows. Returns 0, or 2 after one line on stderr. */
int check_sizes(const problem_sizes *sizes);

/* Returns the sink of query head nth; NO_SINK without sinks. */
double sink_of(const problem *p, size_t nth);

#endif
