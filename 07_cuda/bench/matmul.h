/*
 * The ceiling that a GPU's figures are compared with: a matrix product by
 * cuBLAS, the library that a user would take.
 */
#ifndef CUDA_MATMUL_H
#define CUDA_MATMUL_H

#include "07_cuda/bench/timing.h"

/* C = A^T B, SIDE x SIDE each, of random numbers: zeros would run faster. */
enum { SIDE = 8192 };

struct matmul {
    precision type;
    rung_problem holds; /* A, B and C are its Q, K and O */
    void *handle;       /* null: no cuBLAS here, and nothing to multiply */
};

/* Returns 0 or a cudaError_t; matmul_free frees in any case. */
int matmul_new(matmul *m, precision type);
void matmul_free(matmul *m);

/* What time_in_turns is handed; m stays where it is meanwhile. */
contender matmul_contender(const matmul *m);

#endif
