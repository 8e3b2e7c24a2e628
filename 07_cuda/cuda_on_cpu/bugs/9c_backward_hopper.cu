/* 9c_backward_hopper.cu: mistakes of the way back with wgmma and TMA, as
 * backward rung 4a uses them: four products for a tile, of which two may be
 * under way, and stages that are used by all of them. Page:
 * docs/07_backward.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

/* [dP_under_way] wgmma
 * S has been waited for, and dP may remain: weights can be made, dS can't. */
__global__ void dP_under_way(float *b)
{
    float s[32], dp[32];
    zero_tiles();
    wgmma_fence();
    wgmma(s, A(), B(), false);
    wgmma_commit();
    wgmma(dp, B(), A(), false);
    wgmma_commit();
    wgmma_wait<1>(s);
    b[threadIdx.x] = s[0] * dp[0]; // <- here
    wgmma_wait<0>(dp);
}
BUG(dP_under_way<<<1, 128, both>>>(bench.b));

/* [dS_takes_the_place_of_P] wgmma
 * P^T dO reads P from registers until it has been waited for. dS needs others
 * in the meantime. */
__global__ void dS_takes_the_place_of_P(float *b)
{
    float dv[32] = {}, dk[32] = {};
    unsigned P[4] = {};
    zero_tiles();
    wgmma_fence();
    wgmma_transposed(dv, P, B(), true);
    wgmma_commit();
    P[1] = pack_bf16x2(1, 2); // <- here
    wgmma_fence();
    wgmma_transposed(dk, P, A(), true);
    finish(dk, b);
    b[threadIdx.x] += dv[0];
}
BUG(dS_takes_the_place_of_P<<<1, 128, both>>>(bench.b));

/* [refilled_while_dK_reads] race
 * dV is there, and the stage is given back; but Q is in it, which dS^T Q still
 * reads. */
__global__ void refilled_while_dK_reads(const __grid_constant__ CUtensorMap map,
                                        float *b)
{
    float dv[32] = {}, dk[32] = {};
    unsigned P[4] = {};
    zero_tiles();
    make_barriers();
    wgmma_fence();
    wgmma_transposed(dv, P, B(), true);
    wgmma_commit();
    wgmma_transposed(dk, P, A(), true);
    wgmma_commit();
    wgmma_wait<1>(dv);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem, &map, &full, 0, 0, 0); // <- here
    }
    mbarrier_wait(&full, 0);
    wgmma_wait<0>(dk);
    b[threadIdx.x] = dv[0] + dk[0];
}
BUG(refilled_while_dK_reads<<<1, 128, both>>>(map_of(bench.a), bench.b));

/* [one_row_of_L] race
 * L of the next tile is fetched while the tensor cores work. It needs a place of
 * its own: some warps still make weights of this tile. */
__global__ void one_row_of_L(const float *all, float *b)
{
    __shared__ float L[64];
    int t = threadIdx.x;
    if (t < 64)
        L[t] = all[t];
    __syncthreads();
    for (int i0 = 0; i0 < 128; i0 += 64) {
        float next = i0 < 64 ? all[64 + t % 64] : 0;
        b[i0 + t % 64] = exp2f(-L[t % 64]); // <- here
        if (t < 64)
            L[t] = next;
        __syncthreads();
    }
}
BUG(one_row_of_L<<<1, 128>>>(bench.a, bench.b));

/* [L_of_a_row_that_sees_nothing] wrong numbers
 * Its L is -inf, and 2^{s - L} is infinite. Where weights are not looked at one
 * by one, such an L must become +inf. */
__global__ void L_of_a_row_that_sees_nothing(float *dV)
{
    const float L[2] = {0, -INFINITY}; /* in units of log 2; dO is 1 */
    for (int i = 0; i < 2; i++)
        *dV += exp2f(0 - L[i]); // <- here
}
BUG(L_of_a_row_that_sees_nothing<<<1, 1>>>(bench.a), should_be(bench.a, 1));

/* [dO_by_rows] wrong numbers
 * dP = dO V^T wants dO by rows, dV = P^T dO by columns: from the same tile, but
 * by another instruction. P here is 1 at [0][0], dO is 3 at [0][1]. */
__global__ void dO_by_rows(float *dV)
{
    float d[32];
    zero_tiles();
    if (threadIdx.x == 0) {
        *(unsigned *)smem = pack_bf16x2(1, 0);
        *(unsigned *)(smem + tile) = pack_bf16x2(0, 3);
        fence_proxy_async();
    }
    __syncthreads();
    wgmma_fence();
    wgmma(d, A(), B(), false); // <- here
    wgmma_commit();
    wgmma_wait<0>(d);
    if (threadIdx.x == 0)
        *dV = d[1]; /* row 0, column 1 */
}
BUG(dO_by_rows<<<1, 128, both>>>(bench.a), should_be(bench.a, 3));
