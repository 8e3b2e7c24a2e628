/*
 * A problem for rung 11 on the host: of random numbers, with scratch.
 */
#ifndef CUDA_FP8_PROBLEM_H
#define CUDA_FP8_PROBLEM_H

#include "common/problem/random.h"

#include "07_cuda/rung.h"

typedef struct {
    int heads, group, Nq, Nk, D;
    int offset; /* Nk: no limit */
} fp8_shape;

/* Q, K, V normal, of that standard deviation, 1, 1; O and L are NaN, scratch
 * is bytes of 0xaa. Exits 1 without memory. */
rung_problem fp8_problem(const fp8_shape *shape, double spread, uint64_t seed);
void fp8_problem_free(rung_problem *p);

/* How many numbers Q and O have, and K and V. */
size_t fp8_count_q(const rung_problem *p);
size_t fp8_count_k(const rung_problem *p);

#endif
