/*
 * Rung 2: the loops of FlashAttention-2. The outer loop is over queries.
 *
 * Changed since rung 1: a block computes one tile of Br queries of one head, so
 * there are about Nq / Br times as many blocks. O, m and l stay in registers.
 * Two threads share a row at D = 128, and four at D = 256, because Q and O of a
 * row do not fit in one thread's registers.
 *
 * FlashAttention-2, arXiv 2307.08691, Algorithm 1. docs/07_cuda.md
 */
#include "07_cuda/tile/head.cuh"
#include "07_cuda/tile/launch.cuh"

static const int threads = 128;

/* ANCHOR: kernel */
template <int D>
static __global__ void __launch_bounds__(threads) flash2_fp32(rung_problem p)
{
    const int Split = D < 64 ? 1 : D / 64, Own = D / Split,
              Br = threads / Split;
    const int Bc = D < 256 ? 32 : 16; /* __shared__ is limited to 48 KiB */
    __shared__ float K[Bc][D], V[Bc][D];
    one_head<float> h = head_of<float>(p, blockIdx.y);
    int i0 = blockIdx.x * Br, i = i0 + threadIdx.x / Split;
    int part = threadIdx.x % Split; /* columns part, part + Split, ... */
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    float q[Own], o[Own] = {}, m = -INFINITY, l = 0;

#pragma unroll
    for (int c = 0; c < Own; c++)
        q[c] = i < p.Nq ? h.Q[(size_t)i * D + c * Split + part] : 0;
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        int here = min(Bc, seen - j0) * D; /* elements to load; the rest is 0 */

        /* load */
        __syncthreads();
        for (int e = threadIdx.x; e < Bc * D; e += threads) {
            K[e / D][e % D] = e < here ? h.K[(size_t)j0 * D + e] : 0;
            V[e / D][e % D] = e < here ? h.V[(size_t)j0 * D + e] : 0;
        }
        __syncthreads();
        /* scores */
        float s[Bc], m_new = m;
#pragma unroll
        for (int j = 0; j < Bc; j++) {
            s[j] = 0;
#pragma unroll
            for (int c = 0; c < Own; c++)
                s[j] += q[c] * K[j][c * Split + part];
            for (int other = 1; other < Split; other *= 2)
                s[j] += __shfl_xor_sync(~0u, s[j], other);
        }
        /* update */
#pragma unroll
        for (int j = 0; j < Bc; j++) {
            s[j] = j0 + j < keys_seen(p, i) ? p.scale * s[j] : -INFINITY;
            m_new = fmaxf(m_new, s[j]);
        }
        float alpha = exp_minus(m, m_new);
        m = m_new;
        l *= alpha;
#pragma unroll
        for (int c = 0; c < Own; c++)
            o[c] *= alpha;
#pragma unroll
        for (int j = 0; j < Bc; j++) {
            float p_j = exp_minus(s[j], m);

            l += p_j;
#pragma unroll
            for (int c = 0; c < Own; c++)
                o[c] += p_j * V[j][c * Split + part];
        }
    }
    /* finish */
    if (i >= p.Nq)
        return;
#pragma unroll
    for (int c = 0; c < Own; c++)
        h.O[(size_t)i * D + c * Split + part] = o[c] * inverse(l);
    if (part == 0)
        h.L[i] = m + logf(l);
}
/* ANCHOR_END: kernel */

int rung_flash2(const rung_problem *p)
{
    int Br = p->D < 64 ? threads : threads * 64 / p->D;

    return for_D<32, 64, 128, 256>(p, [=](auto D) {
        flash2_fp32<D><<<grid_of(p, Br), threads>>>(*p);
        return cudaGetLastError();
    });
}
