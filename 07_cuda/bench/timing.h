/*
 * Timing kernels by events: what docs/measuring.md asks for.
 */
#ifndef CUDA_TIMING_H
#define CUDA_TIMING_H

#include <stddef.h>

#include "07_cuda/rung.h"

/* What a benchmark times: start() queues the work on the default stream and
 * returns a cudaError_t. */
typedef struct {
    const char *name;
    int (*start)(void *self);
    void *self;
    double work;           /* FLOPs, or bytes, of one start */
    double median, spread; /* written: seconds; (q3 - q1) / median */
} contender;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Times n contenders in turns, A B C A B C: `rounds` times each, after two
 * rounds that don't count. A time is that of as many starts in a row as fill
 * at least 2 ms, divided by their number; NaN if it has no kernel for this GPU.
 * Returns 0 or a cudaError_t.
 */
int time_in_turns(contender *c, size_t n, int rounds);

/*
 * A problem of random normal numbers on the device, not causal or causal;
 * group 1. Returns 0 or a cudaError_t; problem_free frees in any case.
 */
int problem_random(rung_problem *p, precision type, int heads, int N, int d,
                   int causal);
void problem_free(rung_problem *p);

/* The same for decoding, in bf16: a few queries after all keys but them, heads
 * in groups that share K and V. */
int problem_decoding(rung_problem *p, int heads, int group, int Nq, int Nk,
                     int d);

/* 4 N^2 d FLOPs a head, or with a causal limit what is not beyond it. */
double problem_flops(const rung_problem *p);

/* The lines of bench and bench_backward: what stands in each column, and a
 * contender's, run on p of that batch; peak in FLOP/s, NaN if none is known.
 * Above `most` peaks is said in one line on stderr instead, and returns 1. */
void print_columns(void);
int print_row(const char *program, const contender *c, const rung_problem *p,
              int batch, double peak, double most);

#ifdef __cplusplus
}
#endif
#endif
