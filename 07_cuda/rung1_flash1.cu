/*
 * Rung 1: the loops of FlashAttention, with one thread for each query.
 *
 * Changed since flash1.c: the code is CUDA. A block computes one head, 128
 * queries at a time. O, m and l are stored to HBM and loaded again as in
 * Algorithm 1, so HBM traffic equals that of flash1.
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 1. docs/07_cuda.md
 */
#include "07_cuda/tile/head.cuh"
#include "07_cuda/tile/launch.cuh"

static const int Br = 128;

/* ANCHOR: kernel */
template <int D> static __global__ void flash1_fp32(rung_problem p)
{
    const int Bc = D < 256 ? 32 : 16; /* __shared__ is limited to 48 KiB */
    __shared__ float K[Bc][D], V[Bc][D];
    one_head<float> h = head_of<float>(p, blockIdx.x);
    int seen = keys_seen(p, p.Nq - 1), t = threadIdx.x;

    for (int i = t; i < p.Nq; i += Br) {
        for (int c = 0; c < D; c++)
            h.O[(size_t)i * D + c] = 0;
        h.m[i] = -INFINITY;
        h.l[i] = 0;
    }
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        int here = min(Bc, seen - j0) * D; /* elements to load; the rest is 0 */

        /* load */
        __syncthreads();
        for (int e = t; e < Bc * D; e += Br) {
            K[e / D][e % D] = e < here ? h.K[(size_t)j0 * D + e] : 0;
            V[e / D][e % D] = e < here ? h.V[(size_t)j0 * D + e] : 0;
        }
        __syncthreads();
        for (int i = t; i < p.Nq; i += Br) {
            const float *q = h.Q + (size_t)i * D;
            float *o = h.O + (size_t)i * D;
            int last = min(i - t + Br, p.Nq) - 1; /* last query of the tile */

            if (keys_seen(p, last) <= j0)
                continue;
            /* scores */
            float s[Bc] = {}, m_prev = h.m[i], m_tile = -INFINITY;
            for (int c = 0; c < D; c++) {
                float q_c = q[c];
#pragma unroll
                for (int j = 0; j < Bc; j++)
                    s[j] += q_c * K[j][c];
            }
            /* update */
#pragma unroll
            for (int j = 0; j < Bc; j++) {
                bool attended = j0 + j < keys_seen(p, i);

                s[j] = attended ? p.scale * s[j] : -INFINITY;
                m_tile = fmaxf(m_tile, s[j]);
            }
            float m_new = fmaxf(m_prev, m_tile), l_tile = 0;
#pragma unroll
            for (int j = 0; j < Bc; j++)
                l_tile += s[j] = exp_minus(s[j], m_tile);
            float alpha = exp_minus(m_prev, m_new);
            float beta = exp_minus(m_tile, m_new);
            float old = alpha * h.l[i];
            float l_new = old + beta * l_tile;
            for (int c = 0; c < D; c++) {
                float pv = 0;
#pragma unroll
                for (int j = 0; j < Bc; j++)
                    pv += s[j] * V[j][c];
                o[c] = (old * o[c] + beta * pv) * inverse(l_new);
            }
            /* finish */
            h.m[i] = m_new;
            h.l[i] = l_new;
        }
    }
    for (int i = t; i < p.Nq; i += Br)
        h.L[i] = h.m[i] + logf(h.l[i]);
}
/* ANCHOR_END: kernel */

int rung_flash1(const rung_problem *p)
{
    return for_D<32, 64, 128, 256>(p, [=](auto D) {
        flash1_fp32<D><<<p->heads, Br>>>(*p);
        return cudaGetLastError();
    });
}
