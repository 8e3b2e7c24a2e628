/* 9c_backward_hopper.cu: mistakes of the way back with wgmma and TMA, as
 * backward rung 4a uses them: four products for a tile, of which two may be
 * under way, and stages that are used by all of them. Page:
 * docs/07_backward.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

/* [refilled_while_dK_reads] race
 * dV is there, and the stage is given back; but Q is in it, which dS^T Q still
 * reads. */
TMA_KERNEL(1, 128, both)
{
    float dv[32] = {}, dk[32] = {};
    unsigned P[4] = {};
    make_barriers();
    zero_tiles();
    wgmma_fence();
    wgmma_transposed(dv, P, B(), true);
    wgmma_commit();
    wgmma_transposed(dk, P, A(), true);
    wgmma_commit();
    wgmma_wait<1>(dv);
    __syncthreads();
    if (t == 0) {
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem, map, &full, 0, 0, 0); // <- here
    }
    mbarrier_wait(&full, 0);
    wgmma_wait<0>(dk);
    b[t] = dv[0] + dk[0];
}

/* [L_of_a_row_that_sees_nothing] wrong numbers: b[0] should be 1
 * Its L is -inf, and 2^{s - L} is infinite. Where weights are not looked at one
 * by one, such an L must become +inf. */
KERNEL(1, 1)
{
    const float L[2] = {0, -INFINITY}; /* in units of log 2; dO is 1 */
    for (int i = 0; i < 2; i++)
        *b += exp2f(0 - L[i]); // <- here
}

/* [dO_by_rows] wrong numbers: b[0] should be 3
 * dP = dO V^T wants dO by rows, dV = P^T dO by columns: from the same tile, but
 * by another instruction. P here is 1 at [0][0], dO is 3 at [0][1]. */
KERNEL(1, 128, both)
{
    float d[32];
    zero_tiles();
    if (t == 0) {
        *(unsigned *)smem = pack_bf16x2(1, 0);
        *(unsigned *)(smem + tile) = pack_bf16x2(0, 3);
        fence_proxy_async();
    }
    __syncthreads();
    wgmma_fence();
    wgmma(d, A(), B(), false); // <- here
    finish(d, b);
    b[t] = d[1]; /* of thread 0: row 0, column 1 */
}
