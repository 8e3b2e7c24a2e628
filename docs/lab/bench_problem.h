/*
 * The timed problems: runs a step on all heads of a random layer, and returns
 * the time, the work and the error.
 */
#ifndef LAB_BENCH_PROBLEM_H
#define LAB_BENCH_PROBLEM_H

#include "common/lesson/measure_backward.h"
#include "common/lesson/narrow.h"

typedef struct {
    size_t B, H, N, d;
    bool causal;
} bench_shape;

/* Decoding has one query per head; K and V may be in 16 bits. */
typedef enum {
    FORWARD,
    FORWARD_BF16,
    BACKWARD,
    DECODING,
    DECODING_BF16,
    DECODING_FP16
} bench_kind;

/* Returns the FLOPs of all heads: 4 d for each query and key that it sees. */
double bench_flops(const layer *p);

/* A random layer and its right O; for the backward pass the right gradients for
 * a random dO, and O and L by flash2_simd. */
typedef struct {
    backward_problem b; /* b.forward.layer: the layer */
    narrow_copy narrow; /* K, V and sometimes Q in 16 bits */
} bench_problem;

/* Makes a problem. Returns 0, or another exit code. The caller calls bench_free
 * in any case. */
int bench_new(bench_problem *w, bench_shape shape, bench_kind kind);
void bench_free(bench_problem *w);

/* Returns the seconds of one run of a forward step, or of a backward step (at
 * most 192 heads) if the problem has a dO; < 0 if it failed. */
double bench_run_step(bench_problem *w, const void *step);

/* Repeats the run for 20 ms. Returns the mean seconds; < 0 if a run failed. */
double bench_seconds(bench_problem *w, const void *step);

/* Returns the relative error of O, or of the worst gradient; NaN if there is a
 * NaN. */
double bench_error(bench_problem *w);

/* Sorts n values and returns their p-quantile; 1/2: the median. */
double quantile(double *x, size_t n, double p);

#endif
