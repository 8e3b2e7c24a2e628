/* A program's attention problem: the bundled layer, random heads, or files. */
#ifndef COMMON_LESSON_PROBLEM_H
#define COMMON_LESSON_PROBLEM_H

#include "common/layer.h"
#include "common/lesson/options.h"
#include "common/npy/npy.h"

#include <stdint.h>

enum { USUAL_M = 8192 };

typedef struct {
    size_t B, Hq, Hk, Nq, Nk, d, dv;
    uint64_t seed;
} problem_sizes;

typedef struct {
    layer layer; /* its pointers point into the arrays */
    npy_array Q, K, V, O, L;
    size_t M;         /* elements on chip */
    const char *only; /* the only step to measure; NULL: all steps */
    bool found;       /* true after a step with the name `only` */
    char steps[512];  /* names of the steps that can be measured */
    int status;       /* 0, or the exit code of the first failure */
    /* sinks, one per query head, and truth_of are NULL unless flash sets them.
     * The truth includes sinks. It is computed from truth_of, or else from
     * layer: truth_of has an additive mask instead of a block mask. */
    const float *sinks;
    const layer *truth_of;
    /* O in float64, computed on demand: rows 0, every, 2 every ... of all
     * heads. */
    double *truth;
    size_t every;
} problem;

/* Returns the bytes that a program's steps allocate for a head, in addition to
 * Q, K, V, O and L, or the largest part of them. `only` is the only step to run,
 * or NULL. */
typedef double bytes_fn(const head *h, const char *only);

/*
 * Set up the bundled layer (problem_bundled), random heads (problem_random), or
 * what the options select (problem_of). scale is 1 / sqrt(d), M is 8192, and
 * there is no causal limit, unless the options set M or a causal limit.
 *
 * Rows of random scores are peaked: scores have a standard deviation of about
 * 3.5. For half of the queries the scores rise with the index of the key, so
 * that the maximum still grows at the end of the row.
 *
 * Before they allocate memory, problem_random and problem_of compare all that
 * the arrays need, and `more`, with the limit (common/memory_limit.h).
 *
 * The functions return p->status: 1 for a file or memory error, 2 for invalid
 * sizes, both after one line on stderr, else 0. The caller must call
 * problem_free, also after a failure.
 */
int problem_bundled(problem *p);
int problem_random(problem *p, const problem_sizes *sizes);
int problem_of(problem *p, const lesson_options *o, bytes_fn *more);
void problem_free(problem *p);

/* Sets up the layer from p's Q, K and V, and allocates O and L. Arrays of 3
 * dimensions have B = 1; arrays of 2 dimensions also have one head. The shapes
 * must match. Returns 0, or 1 after one line on stderr. */
int problem_set_up(problem *p);

/* Checks that the query heads are a multiple of the key heads, that the counts
 * of every step fit in size_t, and that Q, K, V, O and L fit in memory. Returns
 * 0, or 2 or (for memory) 1 after one line on stderr. */
int check_sizes(const problem_sizes *sizes);

/* Returns the sink of query head nth, or NO_SINK if p has no sinks. */
double sink_of(const problem *p, size_t nth);

#endif
