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
    double most = 1.05;            /* a rate above so many peaks is an error */
    double allowed = 0.02;         /* with a larger error it is not timed */
    double median = 0, spread = 0; /* written: seconds; (q3 - q1) / median */
    double cold = NAN;             /* by time_cold: with a cold L2 cache */
    double error = NAN;            /* written: from float64 (exact.h) */
};

/*
 * Times contenders in turns, A B C A B C: `rounds` times each, after two rounds
 * of warm-up. A time is that of as many starts in a row as fill at least 2 ms,
 * divided by their number: small arrays stay in the L2 cache. A contender of
 * more than 0.3 s is timed once. Without a clock (the PTX interpreter) all
 * times are NaN. Returns 0 or a cudaError_t.
 */
int time_in_turns(std::vector<contender> &all, int rounds);

/* Sets cold of each contender, after time_in_turns, to the median of `rounds`
 * starts, each after a memset of more than the L2 cache holds. Skips contenders
 * of more than 0.3 s or without a time. Returns 0 or a cudaError_t. */
int time_cold(std::vector<contender> &all, int rounds);

/* The query heads of a group share K and V. The last query sees every key; with
 * a causal limit each earlier one sees one key less. */
struct shape {
    int batch, heads, kv_heads, Nq, Nk, d;
    bool causal;
};

/*
 * Makes a problem of random normal numbers on the device. Both functions return
 * 0 or a cudaError_t. problem_free must also be called if problem_random fails.
 */
int problem_random(rung_problem *p, precision type, const shape &s);
int problem_free(rung_problem *p);

/* Returns the FLOPs: 4 N^2 d for each head, fewer with a causal limit. */
double problem_flops(const rung_problem *p);

/* The peak: C = A^T B by cuBLAS, the library that a user would choose. Each
 * matrix is SIDE x SIDE of random numbers, because zeros would run faster. */
enum { SIDE = 8192 };

struct matmul {
    rung_problem holds; /* A, B and C are its Q, K and O */
    void *handle;       /* null if there is no cuBLAS */
};

/* Both return 0 or a cudaError_t. matmul_free frees even after an error. */
int matmul_new(matmul *m, precision type);
int matmul_free(matmul *m);

/* Returns the product as a contender, or an empty one without cuBLAS. The
 * contender keeps a pointer to m. */
contender matmul_contender(const matmul *m);

#endif
