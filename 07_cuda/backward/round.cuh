/*
 * A kernel that rounds dQ, for bf16 rungs that sum dQ in HBM. The sums are
 * complete only when the last block of the rung's kernel ends.
 */
#pragma once
#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/tile/mma.cuh"

/* Stores dQ = scale dQ_sum, rounded to bf16. A thread has two columns. */
static __global__ void flash2_backward_round_dQ(gradient_problem p)
{
    const rung_problem &f = p.forward;
    size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (e < (size_t)f.heads * f.Nq * f.D / 2) {
        float2 x = ((const float2 *)p.dQ_sum)[e];

        ((unsigned *)p.dQ)[e] = pack_bf16x2(f.scale * x.x, f.scale * x.y);
    }
}

static inline unsigned blocks_to_round(const rung_problem &f, int threads)
{
    return (unsigned)(((size_t)f.heads * f.Nq * f.D / 2 + threads - 1) /
                      threads);
}

static inline int clear_dQ_sum(const gradient_problem *p)
{
    const rung_problem &f = p->forward;

    return cudaMemset(p->dQ_sum, 0,
                      (size_t)f.heads * f.Nq * f.D * sizeof(float));
}
