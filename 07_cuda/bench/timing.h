/* Times kernels by events, as docs/machine_code.md explains. */
#ifndef CUDA_TIMING_H
#define CUDA_TIMING_H

#include <math.h>

#include <functional>
#include <vector>

#include "07_cuda/rung.h"

/* A task that a benchmark times. start() queues it on the default stream and
 * returns a cudaError_t. */
struct contender {
    const char *name;
    std::function<int()> start;
    double work;            /* FLOPs, or bytes, of one start */
    double max_rate = 1.05; /* highest valid rate, as a multiple of the peak */
    double allowed = 0.02;  /* largest error with which it is timed */
    double median = 0, spread = 0; /* seconds; (q3 - q1) / median */
    double cold = NAN;             /* seconds with a cold L2 cache */
    double error = NAN;            /* the result of worst_error (exact.h) */
};

/* Times each contender `rounds` times, in turns (A B C A B C), after two rounds
 * of warm-up. A time is measured over as many consecutive starts as fill at
 * least 2 ms, so small arrays stay in the L2 cache. A contender that takes more
 * than 0.3 s is timed once. Without a clock (the PTX interpreter) all times are
 * NaN. Returns 0 or a cudaError_t. */
int time_in_turns(std::vector<contender> &all, int rounds);

/* Sets `cold` of each contender to the median of `rounds` starts. Before each
 * start a memset writes more bytes than the L2 cache holds. Skips contenders
 * that take more than 0.3 s. Returns 0 or a cudaError_t. */
int time_cold(std::vector<contender> &all, int rounds);

/* heads / kv_heads query heads share K and V. The last query sees every key.
 * With a causal limit each query sees one key fewer than the next one. */
struct shape {
    int batch, heads, kv_heads, Nq, Nk, d;
    bool causal;
};

/* Makes a problem of random normal numbers on the device. problem_free frees
 * it, also after an error. Both return 0 or a cudaError_t. */
int problem_random(rung_problem *p, precision type, const shape &s);
int problem_free(rung_problem *p);

/* Returns the FLOPs: 4 Nq Nk d for each head, fewer with a causal limit. */
double problem_flops(const rung_problem *p);

/* The peak is the rate of C = A^T B by cuBLAS. A and B have SIDE x SIDE random
 * numbers, because with zeros the product would run faster. */
enum { SIDE = 8192 };

struct matmul {
    rung_problem holds; /* A, B and C are its Q, K and O */
    void *handle;       /* null if there is no cuBLAS */
};

/* Without cuBLAS matmul_new does nothing. matmul_free frees the matrices, also
 * after an error. Both return 0 or a cudaError_t. */
int matmul_new(matmul *m, precision type);
int matmul_free(matmul *m);

/* The contender is empty without cuBLAS. It keeps a pointer to m. */
contender matmul_contender(const matmul *m);

#endif
