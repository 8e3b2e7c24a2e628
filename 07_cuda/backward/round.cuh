/*
 * Who adds dQ up in HBM does it in fp32, and rounds at the end: in a kernel of
 * its own, since blocks add until the last one is done.
 */
#pragma once
#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/tile/mma.cuh"

/* dQ = scale times its sum, rounded; two columns per thread. */
static __global__ void flash2_backward_round_dQ(gradient_problem p)
{
    const rung_problem &f = p.forward;
    size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (e < (size_t)f.heads * f.Nq * f.D / 2) {
        float2 x = ((const float2 *)p.dQ_sum)[e];

        ((unsigned *)p.dQ)[e] = pack_bf16x2(f.scale * x.x, f.scale * x.y);
    }
}

/* Its blocks, of that many threads. */
static inline unsigned blocks_to_round(const rung_problem &f, int threads)
{
    return (unsigned)(((size_t)f.heads * f.Nq * f.D / 2 + threads - 1) /
                      threads);
}

/* On the host, before any kernel adds. Returns 0 or a cudaError_t. */
static inline int clear_dQ_sum(const gradient_problem *p)
{
    const rung_problem &f = p->forward;

    return cudaMemset(p->dQ_sum, 0,
                      (size_t)f.heads * f.Nq * f.D * sizeof(float));
}
