/*
 * Times kernels by events, as docs/machine_code.md explains.
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
    double cold = NAN;             /* written: seconds with a cold L2 cache */
    double error = NAN;            /* written: from float64 (exact.h) */
};

/*
 * Times contenders in turns, A B C A B C: `rounds` times each, after two rounds
 * of warm-up. A time is that of as many starts in a row as fill at least 2 ms,
 * divided by their number: small arrays stay in the L2 cache. Then each is
 * timed alone, after a memset of more than the L2 cache. A contender of 0.3 s
 * or more is timed once, warm. Without a clock (the PTX interpreter) all times
 * are NaN. Returns 0 or a cudaError_t.
 */
int time_in_turns(std::vector<contender> &all, int rounds);

/* Query heads in groups that share K and V. The last query sees every key; with
 * a causal limit each one before it sees one less. */
struct shape {
    int batch, heads, kv_heads, Nq, Nk, d;
    bool causal;
};

/*
 * A problem of random normal numbers on the device. Both return 0 or a
 * cudaError_t; problem_free also frees a problem that problem_random could not
 * complete.
 */
int problem_random(rung_problem *p, precision type, const shape &s);
int problem_free(rung_problem *p);

/* 4 N^2 d FLOPs a head, or with a causal limit what is not beyond it. */
double problem_flops(const rung_problem *p);

/* The ceiling: C = A^T B by cuBLAS, the library that a user would take; SIDE x
 * SIDE each, of random numbers, as zeros would run faster. */
enum { SIDE = 8192 };

struct matmul {
    rung_problem holds; /* A, B and C are its Q, K and O */
    void *handle;       /* null: no cuBLAS here, and nothing to multiply */
};

/* Both return 0 or a cudaError_t; matmul_free frees in any case. */
int matmul_new(matmul *m, precision type);
int matmul_free(matmul *m);

/* Returns the product as a contender; without cuBLAS an empty one. Keeps m's
 * address. */
contender matmul_contender(const matmul *m);

#endif
