/*
 * Backward rung 2: two kernels, and no sums in HBM.
 *
 * Changed since backward rung 1: dQ has its own kernel, whose outer loop is
 * over queries, as in backward_dq of chapter 06. One thread adds all terms of a
 * sum, so every run gives the same bits. Both kernels compute S and dP, so
 * there are seven products instead of five.
 *
 * docs/07_cuda.md
 */
#include "07_cuda/backward/rows.cuh"
#include "07_cuda/tile/launch.cuh"

static const int threads = 128;

/* ANCHOR: kernel */
template <int D>
static __global__ void __launch_bounds__(threads)
    flash2_backward_only_dQ(gradient_problem p)
{
    const int Split = D / 32, Own = D / Split, Br = threads / Split;
    const int Bc = D < 128 ? 32 : 16;
    __shared__ float K[Bc][D], V[Bc][D];
    const rung_problem &f = p.forward;
    query_head<float> h = queries_of<float>(p, blockIdx.y);
    key_head<float> keys = keys_of<float>(p, blockIdx.y / f.group);
    int i0 = blockIdx.x * Br, i = i0 + threadIdx.x / Split;
    int part = threadIdx.x % Split; /* columns part, part + Split, ... */
    int seen = keys_seen(f, min(i0 + Br, f.Nq) - 1);
    float q[Own], dO[Own], dq[Own] = {};
    float L = i < f.Nq ? h.L[i] : 0, dots = i < f.Nq ? h.D[i] : 0;

#pragma unroll
    for (int c = 0; c < Own; c++) {
        size_t at = (size_t)i * D + c * Split + part;

        q[c] = i < f.Nq ? h.Q[at] : 0;
        dO[c] = i < f.Nq ? h.dO[at] : 0;
    }
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        int here = min(Bc, seen - j0);

        /* load */
        __syncthreads();
        for (int e = threadIdx.x; e < Bc * D; e += threads) {
            size_t at = (size_t)j0 * D + e;

            K[e / D][e % D] = e < here * D ? keys.K[at] : 0;
            V[e / D][e % D] = e < here * D ? keys.V[at] : 0;
        }
        __syncthreads();
        for (int j = 0; j < here; j++) {
            /* scores */
            float s = f.scale * dot_of_row<Own, Split>(q, K[j], part);
            float dp = dot_of_row<Own, Split>(dO, V[j], part);
            /* update */
            float w = j0 + j < keys_seen(f, i) ? weight(s, L) : 0;
            float ds = w * (dp - dots);

            if (w == 0)
                continue; /* K or V may be NaN, and 0 x NaN is NaN */
#pragma unroll
            for (int c = 0; c < Own; c++)
                dq[c] += ds * K[j][c * Split + part];
        }
    }
    /* finish */
    if (i >= f.Nq)
        return;
#pragma unroll
    for (int c = 0; c < Own; c++)
        h.dQ[(size_t)i * D + c * Split + part] = f.scale * dq[c];
}
/* ANCHOR_END: kernel */

/* ANCHOR: dkv */
template <int D>
static __global__ void __launch_bounds__(threads)
    flash2_backward_dK_and_dV(gradient_problem p)
{
    const int Split = D / 32, Own = D / Split, Bc = threads / Split;
    const int Br = D < 128 ? 32 : 16;
    __shared__ float Q[Br][D], dO[Br][D], L[Br], dots[Br];
    const rung_problem &f = p.forward;
    key_head<float> h = keys_of<float>(p, blockIdx.y);
    int j0 = blockIdx.x * Bc, j = j0 + threadIdx.x / Split;
    int part = threadIdx.x % Split;
    float k[Own], v[Own], dk[Own] = {}, dv[Own] = {};

#pragma unroll
    for (int c = 0; c < Own; c++) {
        size_t at = (size_t)j * D + c * Split + part;

        k[c] = j < f.Nk ? h.K[at] : 0;
        v[c] = j < f.Nk ? h.V[at] : 0;
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
                float ds = w * (dp - dots[i]);

                if (w == 0)
                    continue; /* Q or dO may be NaN, and 0 x NaN is NaN */
#pragma unroll
                for (int c = 0; c < Own; c++) {
                    dv[c] += w * dO[i][c * Split + part];
                    dk[c] += ds * Q[i][c * Split + part];
                }
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
/* ANCHOR_END: dkv */

int backward_two_kernels(const gradient_problem *p)
{
    const rung_problem &f = p->forward;

    return for_D<32, 64, 128>(&f, [=](auto D) {
        const int rows = threads * 32 / D; /* a block's queries, or its keys */
        unsigned blocks = blocks_for_D<float, D>(f, threads);
        dim3 tiles((f.Nk + rows - 1) / rows, f.heads / f.group);

        flash2_backward_rows_of_D<float, D><<<blocks, threads>>>(*p);
        flash2_backward_only_dQ<D><<<grid_of(&f, rows), threads>>>(*p);
        flash2_backward_dK_and_dV<D><<<tiles, threads>>>(*p);
        return (int)cudaGetLastError();
    });
}
