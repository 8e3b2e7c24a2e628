/* Timing by events (docs/machine_code.md), random problems, and cuBLAS. */
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
    double allowed = 0.02;  /* largest valid `error` */
    double median = 0, spread = 0; /* seconds; (q3 - q1) / median */
    double cold = NAN;             /* seconds with a cold L2 cache */
    double error = NAN;            /* the result of worst_error (exact.h) */
};

/* Times the contenders in turns (A B C A B C), each `rounds` times after two
 * warm-ups, and sets `median` and `spread`. A time is measured over consecutive
 * starts that took at least 2 ms in the warm-up, so small arrays stay in the L2
 * cache. A contender that takes more than 0.3 s is timed once. Without a clock
 * (the PTX interpreter) all times are NaN. Returns 0 or a cudaError_t. */
int time_in_turns(std::vector<contender> &all, int rounds);

/* Sets `cold` of each contender to the median of `rounds` starts. Before each
 * start a memset writes more bytes than the L2 cache holds. Skips contenders
 * whose median is NaN or above 0.3 s. Returns 0 or a cudaError_t. */
int time_cold(std::vector<contender> &all, int rounds);

/* heads / kv_heads query heads share a head of K and V. With a causal limit the
 * last query sees every key, and each other query one key fewer than the next
 * one. d is 64 or 128. */
struct shape {
    int batch, heads, kv_heads, Nq, Nk, d;
    bool causal;
};

/* Makes a problem of random normal numbers on the device. problem_free frees
 * it, also after an error. Both return 0 or a cudaError_t. */
int problem_random(rung_problem *p, precision type, const shape &s);
int problem_free(rung_problem *p);

/* Returns the FLOPs: 4 d for each head, query and visible key. */
double problem_flops(const rung_problem *p);

/* The peak is the rate of C = A^T B by cuBLAS. A and B have SIDE x SIDE random
 * numbers, because with zeros the product would run faster. */
enum { SIDE = 8192 };

struct matmul {
    rung_problem holds; /* Q, K and O are A, B and C */
    void *handle;       /* null if there is no cuBLAS */
};

/* A matmul must be zero before matmul_new, which does nothing without cuBLAS.
 * matmul_free works also after an error. Both return 0 or a cudaError_t. */
int matmul_new(matmul *m, precision type);
int matmul_free(matmul *m);

/* Without cuBLAS the contender is empty. The contender keeps a pointer to m. */
contender matmul_contender(const matmul *m);

#endif
