/*
 * Timing kernels by events: what docs/machine_code.md asks for.
 */
#ifndef CUDA_TIMING_H
#define CUDA_TIMING_H

#include <math.h>

#include <functional>
#include <vector>

#include "07_cuda/rung.h"

/* What a benchmark times: start() queues the work on the default stream and
 * returns a cudaError_t. */
struct contender {
    const char *name;
    std::function<int()> start;
    double work;                   /* FLOPs, or bytes, of one start */
    double most = 1.05;            /* a figure of more peaks is not believed */
    double allowed = 0.02;         /* a larger error is not timed */
    double median = 0, spread = 0; /* written: seconds; (q3 - q1) / median */
    double error = NAN;            /* written: from float64 (exact.h) */
};

/*
 * Times contenders in turns, A B C A B C: `rounds` times each, after two rounds
 * that don't count. A time is that of as many starts in a row as fill at least
 * 2 ms, divided by their number; what takes 0.3 s is timed at once, and once. Where no
 * time passes all are NaN. Returns 0 or a cudaError_t.
 */
int time_in_turns(std::vector<contender> &all, int rounds);

/* Query heads in groups that share K and V. The last query sees every key; with
 * a causal limit each one before it sees one less. */
struct shape {
    int batch, heads, kv_heads, Nq, Nk, d;
    bool causal;
};

/*
 * A problem of random normal numbers on the device. Returns 0 or a cudaError_t;
 * problem_free frees in any case.
 */
int problem_random(rung_problem *p, precision type, const shape &s);
void problem_free(rung_problem *p);

/* 4 N^2 d FLOPs a head, or with a causal limit what is not beyond it. */
double problem_flops(const rung_problem *p);

/* The ceiling: C = A^T B by cuBLAS, the library that a user would take; SIDE x
 * SIDE each, of random numbers, as zeros would run faster. */
enum { SIDE = 8192 };

struct matmul {
    rung_problem holds; /* A, B and C are its Q, K and O */
    void *handle;       /* null: no cuBLAS here, and nothing to multiply */
};

/* Returns 0 or a cudaError_t; matmul_free frees in any case. */
int matmul_new(matmul *m, precision type);
void matmul_free(matmul *m);

/* What time_in_turns is handed, without cuBLAS nothing; m stays where it is. */
contender matmul_contender(const matmul *m);

#endif
