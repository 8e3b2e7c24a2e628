/* The problems of the benchmark: random layers on which it runs steps. */
#ifndef LAB_BENCH_PROBLEM_H
#define LAB_BENCH_PROBLEM_H

#include "tools/flash/user_problem.h"

typedef struct {
    size_t B, H, N, d;
    bool causal;
} bench_shape;

/* Decoding has one query per head. In DECODING_BF16 and DECODING_FP16 only K
 * and V have 16 bits; in FORWARD_BF16 Q has, too. */
typedef enum {
    FORWARD,
    FORWARD_BF16,
    BACKWARD,
    DECODING,
    DECODING_BF16,
    DECODING_FP16
} bench_kind;

/* Returns the forward pass's FLOPs: 4 d per pair of a query and a seen key. */
double bench_flops(const layer *p);

/* A random layer, and O in float64. For the backward pass it has a random dO,
 * the gradients in float64, and O and L by flash2_simd. */
typedef struct {
    backward_problem b; /* b.forward.layer: the layer */
    narrow_copy narrow; /* the arrays in 16 bits */
} bench_problem;

/* Makes a problem. Returns 0, or another exit code after one line on stderr.
 * The caller must call bench_free in both cases. */
int bench_new(bench_problem *w, bench_shape shape, bench_kind kind);
void bench_free(bench_problem *w);

/* Runs the step once. step is an attention_step, or a backward_step if the
 * problem has a dO (at most 192 heads). Returns the seconds; < 0: failed. */
double bench_run_step(bench_problem *w, const void *step);

/* Repeats the run for at least 20 ms. Returns the mean seconds; < 0: failed. */
double bench_seconds(bench_problem *w, const void *step);

/* Returns the relative error of O, or of the worst gradient. Returns NaN if the
 * result has a NaN. */
double bench_error(bench_problem *w);

/* Sorts the n values at x. Returns their p-quantile; the median has p 0.5. */
double quantile(double *x, size_t n, double p);

#endif
