/*
 * The benchmark's problems: all heads of a seeded random layer, a step run
 * over them, and its error on a sample of rows.
 */
#ifndef LAB_BENCH_PROBLEM_H
#define LAB_BENCH_PROBLEM_H

#include "common/problem/heads.h"
#include "common/print/report.h"

typedef struct {
    size_t B, H, N, d;
} bench_shape;

/* Q, K, V, O, L of the shape, allocated as one; free with bench_free. Returns
 * 0, or 1 after one line on stderr. */
int bench_new(layer *p, bench_shape shape, bool causal);
void bench_free(layer *p);

/* "(1, 8, 1024, 64) causal" */
words shape_text(const layer *p);

/* 4 d FLOPs for each query and key that it sees, over all heads. */
double bench_flops(const layer *p);

/* Seconds of one run of the step over all heads; < 0 if it failed. */
double bench_run(const layer *p, const attention_step *step);

/* The mean of so many runs; < 0 if one failed. */
double bench_mean(const layer *p, const attention_step *step, size_t runs);

/* The fastest of so many runs, or of those begun in so many seconds; < 0 if one
 * failed. */
double bench_best(const layer *p, const attention_step *step, size_t runs,
                  double seconds);

/* Relative error of O against float64 on some rows of some heads; NaN if one
 * of them is. */
double bench_error(const layer *p);

#endif
