/*
 * Backward rung 1: the outer loop is over keys, as in flash1_backward of
 * chapter 05. dQ is summed in HBM.
 *
 * A thread has one key, with its rows of K, V, dK and dV in registers. From 64
 * columns on, D / 32 threads share a key. Every block of keys adds a term to dQ
 * of each query that sees it, by atomicAdd. The order of the terms differs from
 * run to run, and so does the rounding of the sum.
 *
 * FlashAttention-2, arXiv 2307.08691, Algorithm 2. docs/07_cuda.md
 */
#include "07_cuda/backward/rows.cuh"
#include "07_cuda/tile/launch.cuh"

static const int threads = 128;

/* ANCHOR: kernel */
template <int D>
static __global__ void __launch_bounds__(threads)
    flash2_backward_atomics(gradient_problem p)
{
    const int Split = D / 32, Own = D / Split, Bc = threads / Split;
    const int Br = D < 128 ? 32 : 16; /* __shared__ is limited to 48 KiB */
    __shared__ float Q[Br][D], dO[Br][D], K[Bc][D], dS[Br][Bc + 1];
    __shared__ float L[Br], dots[Br];
    const rung_problem &f = p.forward;
    key_head<float> h = keys_of<float>(p, blockIdx.y);
    int j0 = blockIdx.x * Bc, own = threadIdx.x / Split, j = j0 + own;
    int part = threadIdx.x % Split; /* columns part, part + Split, ... */
    float k[Own], v[Own], dk[Own] = {}, dv[Own] = {};

#pragma unroll
    for (int c = 0; c < Own; c++) {
        size_t at = (size_t)j * D + c * Split + part;

        k[c] = j < f.Nk ? h.K[at] : 0;
        v[c] = j < f.Nk ? h.V[at] : 0;
        K[own][c * Split + part] = k[c]; /* for dQ */
    }
    for (int g = 0; g < f.group; g++) {
        query_head<float> q = queries_of<float>(p, blockIdx.y * f.group + g);

        for (int i0 = first_tile(f, j0, Br); i0 < f.Nq; i0 += Br) {
            int here = min(Br, f.Nq - i0);

            /* load */
            __syncthreads();
            for (int e = threadIdx.x; e < Br * D; e += threads) {
                size_t at = (size_t)i0 * D + e;

                Q[e / D][e % D] = e < here * D ? q.Q[at] : 0;
                dO[e / D][e % D] = e < here * D ? q.dO[at] : 0;
            }
            if ((int)threadIdx.x < here) {
                L[threadIdx.x] = q.L[i0 + threadIdx.x];
                dots[threadIdx.x] = q.D[i0 + threadIdx.x];
            }
            __syncthreads();
            for (int i = 0; i < here; i++) {
                /* scores */
                float s = f.scale * dot_of_row<Own, Split>(k, Q[i], part);
                float dp = dot_of_row<Own, Split>(v, dO[i], part);
                /* update */
                float w = j < keys_seen(f, i0 + i) ? weight(s, L[i]) : 0;
                float ds = w == 0 ? 0 : w * (dp - dots[i]);

                if (part == 0)
                    dS[i][own] = ds;
                if (w == 0)
                    continue; /* Q or dO may be NaN, and 0 x NaN is NaN */
#pragma unroll
                for (int c = 0; c < Own; c++) {
                    dv[c] += w * dO[i][c * Split + part];
                    dk[c] += ds * Q[i][c * Split + part];
                }
            }
            __syncthreads();
            for (int e = threadIdx.x; e < here * D; e += threads) {
                float dq = 0;

                for (int n = 0; n < Bc; n++)
                    if (dS[e / D][n] != 0)
                        dq += dS[e / D][n] * K[n][e % D];
                atomicAdd(&q.dQ[(size_t)i0 * D + e], f.scale * dq);
            }
        }
    }
    /* finish */
    if (j >= f.Nk)
        return;
#pragma unroll
    for (int c = 0; c < Own; c++) {
        size_t at = (size_t)j * D + c * Split + part;

        h.dK[at] = f.scale * dk[c];
        h.dV[at] = dv[c];
    }
}
/* ANCHOR_END: kernel */

int backward_atomics(const gradient_problem *p)
{
    const rung_problem &f = p->forward;

    return for_D<32, 64, 128>(&f, [=](auto D) {
        const int Bc = threads * 32 / D;
        unsigned blocks = blocks_for_D<float, D>(f, threads);
        dim3 tiles((f.Nk + Bc - 1) / Bc, f.heads / f.group);
        size_t dQ = (size_t)f.heads * f.Nq * D * sizeof(float);
        int error = cudaMemset(p->dQ, 0, dQ); /* the kernel adds to dQ */

        if (error)
            return error;
        flash2_backward_rows_of_D<float, D><<<blocks, threads>>>(*p);
        flash2_backward_atomics<D><<<tiles, threads>>>(*p);
        return (int)cudaGetLastError();
    });
}
