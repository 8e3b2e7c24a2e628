/*
 * What is timed: a step over all heads of a random layer, how much work that
 * is, and how wrong its output.
 */
#ifndef LAB_BENCH_PROBLEM_H
#define LAB_BENCH_PROBLEM_H

#include "common/judge/backward_measure.h"
#include "common/print/report.h"
#include "common/problem/backward_layer.h"

typedef struct {
    size_t B, H, N, d;
    bool causal;
} bench_shape;

/* Q, K and V, seeded, and room for O and L. Returns 0, or another exit code
 * after one line on stderr; arrays_free frees, in any case. */
int bench_new(attention_arrays *a, bench_shape shape);

/* "(1, 8, 1024, 64) causal" */
words shape_text(const layer *p);

/* 4 d FLOPs for each query and key that it sees, over all heads. */
double bench_flops(const layer *p);

/* Seconds of one run of the step over all heads; < 0 if it failed. */
double bench_run(const layer *p, const attention_step *step);

/* The fastest of so many runs, or of those begun in so many seconds; < 0 if one
 * failed. */
double bench_best(const layer *p, const attention_step *step, size_t runs,
                  double seconds);

/* Relative error of O against float64 on some rows of some heads; NaN if one
 * of them is. */
double bench_error(const layer *p);

/* The way back of such a layer, which is b.forward, and what is right. */
typedef struct {
    backward_layer b;
    gradient_truth truth;
} bench_back;

/* dO, random, and O and L by flash2_simd. Returns 0, or another exit code;
 * bench_back_free frees all, in any case. */
int bench_prepare(bench_back *w);
void bench_back_free(bench_back *w);

/* Seconds of one run, at most 192 heads; < 0 if it failed. And the error of the
 * worst gradient. */
double bench_run_back(const bench_back *w, const backward_step *step);
double bench_error_back(const bench_back *w);

#endif
