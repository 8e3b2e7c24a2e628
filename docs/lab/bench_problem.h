/*
 * What is timed: a step over all heads of a random layer, how much work that
 * is, and how wrong its output.
 */
#ifndef LAB_BENCH_PROBLEM_H
#define LAB_BENCH_PROBLEM_H

#include "common/lesson/measure_backward.h"
#include "common/lesson/narrow.h"

typedef struct {
    size_t B, H, N, d;
    bool causal;
} bench_shape;

/* Decoding has one query a head, and K and V perhaps in 16 bits. */
typedef enum {
    FORWARD,
    FORWARD_BF16,
    BACKWARD,
    DECODING,
    DECODING_BF16,
    DECODING_FP16
} bench_kind;

/* 4 d FLOPs for each query and key that it sees, over all heads. */
double bench_flops(const layer *p);

/* Such a layer, and what is right for it: O; or for its backward pass the
 * gradients, of a random dO, and O and L by flash2_simd. */
typedef struct {
    backward_problem b; /* b.forward.layer: the layer */
    narrow_copy narrow; /* K and V in 16 bits, perhaps Q */
} bench_problem;

/* Returns 0, or another exit code; bench_free frees all, in any case. */
int bench_new(bench_problem *w, bench_shape shape, bench_kind kind);
void bench_free(bench_problem *w);

/* Seconds of one run: of a step forward, or of one back (at most 192 heads) if
 * the problem has a dO; < 0 if it failed. */
double bench_run_step(bench_problem *w, const void *step);

/* Returns the mean seconds of as many runs as take 20 ms; < 0 if one failed. */
double bench_seconds(bench_problem *w, const void *step);

/* Relative error of O, or of the worst gradient; NaN if it has a NaN. */
double bench_error(bench_problem *w);

/* The p-th part of n values, 1/2 the median; sorts them. */
double quantile(double *x, size_t n, double p);

#endif
