/*
 * Rung 3: loads and stores of four floats at a time.
 *
 * Changed since rung 2: Q, K, V and O are read and written as float4, 16 bytes
 * per instruction. A load serves four multiplications instead of one. Threads
 * that share a row take alternate float4s, so their addresses are in different
 * banks.
 *
 * docs/07_cuda.md
 */
#include "07_cuda/tile/head.cuh"
#include "07_cuda/tile/launch.cuh"

static const int threads = 128;

/* ANCHOR: kernel */
template <int D>
static __global__ void __launch_bounds__(threads) flash2_float4(rung_problem p)
{
    const int Split = D < 64 ? 1 : D / 64, Br = threads / Split;
    const int Own = D / 4 / Split;    /* float4s of a thread */
    const int Bc = D < 256 ? 32 : 16; /* __shared__ is limited to 48 KiB */
    __shared__ float4 K[Bc][D / 4], V[Bc][D / 4];
    one_head<float4> h = head_of<float4>(p, blockIdx.y);
    int i0 = blockIdx.x * Br, i = i0 + threadIdx.x / Split;
    int part = threadIdx.x % Split; /* float4s part, part + Split, ... */
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    float4 q[Own], o[Own] = {};
    float m = -INFINITY, l = 0;

#pragma unroll
    for (int c = 0; c < Own; c++)
        q[c] =
            i < p.Nq ? h.Q[(size_t)i * (D / 4) + c * Split + part] : float4();
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        int here = min(Bc, seen - j0) * (D / 4); /* float4s to load */

        /* load */
        __syncthreads();
        for (int e = threadIdx.x; e < Bc * (D / 4); e += threads) {
            size_t from = (size_t)j0 * (D / 4) + e;

            K[e / (D / 4)][e % (D / 4)] = e < here ? h.K[from] : float4();
            V[e / (D / 4)][e % (D / 4)] = e < here ? h.V[from] : float4();
        }
        __syncthreads();
        /* scores */
        float s[Bc], m_new = m;
#pragma unroll
        for (int j = 0; j < Bc; j++) {
            s[j] = 0;
#pragma unroll
            for (int c = 0; c < Own; c++)
                s[j] += dot(q[c], K[j][c * Split + part]);
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
            rescale(o[c], alpha);
#pragma unroll
        for (int j = 0; j < Bc; j++) {
            float p_j = exp_minus(s[j], m);

            l += p_j;
#pragma unroll
            for (int c = 0; c < Own; c++)
                axpy(o[c], p_j, V[j][c * Split + part]);
        }
    }
    /* finish */
    if (i >= p.Nq)
        return;
#pragma unroll
    for (int c = 0; c < Own; c++) {
        rescale(o[c], inverse(l));
        h.O[(size_t)i * (D / 4) + c * Split + part] = o[c];
    }
    if (part == 0)
        h.L[i] = m + logf(l);
}
/* ANCHOR_END: kernel */

int rung_float4(const rung_problem *p)
{
    int Br = p->D < 64 ? threads : threads * 64 / p->D;

    return for_D<32, 64, 128, 256>(p, [=](auto D) {
        flash2_float4<D><<<grid_of(p, Br), threads>>>(*p);
        return cudaGetLastError();
    });
}
