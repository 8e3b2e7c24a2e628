/* 7_wgmma.cu: mistakes with wgmma, named barriers and setmaxnreg. Page:
 * docs/hopper.md. */
#include "tools/emulator/cuda_on_cpu/bugs/hopper.h"

/* [read_before_the_wait] wgmma
 * The product is issued, but it is not complete before wgmma_wait. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma(d, A(), B(), false);
    wgmma_commit();
    b[t] = d[0]; // <- here
    wgmma_wait<0>(d);
}

/* [group_not_closed] wgmma
 * wgmma_wait waits only for committed groups of products. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma(d, A(), B(), false);
    wgmma_wait<0>(d);
    b[t] = d[0]; // <- here
    wgmma_commit();
    wgmma_wait<0>(d);
}

/* [one_group_too_many_left] wgmma
 * wgmma_wait<1> does not wait for the newest group, which computes e. In the
 * backward pass d is S and e is dP. So P can be computed, but dS cannot. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma(d, A(), B(), false);
    wgmma_commit();
    wgmma(e, A(), B(), false);
    wgmma_commit();
    wgmma_wait<1>(d);
    b[t] = d[0] + e[0]; // <- here
    wgmma_wait<0>(e);
}

/* [packed_too_early] wgmma
 * The kernel stores P of the next tile in registers that the product P V still
 * reads. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma_transposed(d, P, B(), true);
    wgmma_commit();
    P[0] = pack_bf16x2(1, 2); // <- here
    wgmma_wait<0>(d);
    b[t] = d[0] + (float)P[0];
}

/* [rescaled_and_not_fenced] wgmma
 * A thread changes its accumulators after a product. Without a wgmma_fence the
 * next wgmma may not use the new values. */
WGMMA_KERNEL(1, 128, both)
{
    for (int j = 0; j < 2; j++) {
        wgmma(d, A(), B(), j > 0); // <- here
        wgmma_commit();
        wgmma_wait<0>(d);
        d[0] *= 2;
    }
    b[t] = d[0];
}

/* [rescaled_after_the_fence] wgmma
 * The fence makes earlier changes of registers visible to the next wgmma, so it
 * must come after the change. */
WGMMA_KERNEL(1, 128, both)
{
    for (int j = 0; j < 2; j++) {
        wgmma_fence();
        if (j > 0)
            d[0] *= 2;
        wgmma(d, A(), B(), j > 0); // <- here
        wgmma_commit();
        wgmma_wait<0>(d);
    }
    b[t] = d[0];
}

/* [stores_not_fenced] proxy
 * wgmma reads shared memory by the asynchronous proxy. A barrier alone does not
 * make the threads' stores visible to it. fence_proxy_async is missing. */
KERNEL(1, 128, both)
{
    float d[32];
    zero_tiles();
    ((float *)smem)[t] = 0;
    __syncthreads();
    wgmma_fence();
    wgmma(d, A(), B(), false); // <- here
    finish(d, b);
}

/* [overwritten_while_read] race
 * The product may read the tile until it is complete. So the thread must wait
 * for the product before it stores to the tile. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma(d, A(), B(), false);
    wgmma_commit();
    ((float *)smem)[t] = 1; // <- here
    wgmma_wait<0>(d);
    b[t] = d[0];
}

/* [panels_too_close] wgmma
 * V has 128 columns here, in two panels. The descriptor must contain the
 * distance of the panels. It contains 16 bytes, which is right only for one
 * panel. */
WGMMA_KERNEL(1, 128, both)
{
    float o[64] = {};
    wgmma_transposed(o, P, wgmma_operand(smem), true); // <- here
    finish(o, b);
}

/* [beyond_the_tile] out of bounds
 * Each step along k reads 32 bytes of a row, and a row has 128 bytes. So the
 * fifth step is in the next panel, which does not exist. */
WGMMA_KERNEL(1, 128, both)
{
    for (int k = 0; k < 5; k++) {
        int step = k / 4 * tile + k % 4 * 32;
        wgmma(d, A(), bytes_on(B(), step), true); // <- here
    }
    finish(d, b);
}

/* [three_warps] wgmma
 * wgmma needs a whole warpgroup: four warps. */
WGMMA_KERNEL(1, 96, both)
{
    wgmma(d, A(), B(), false); // <- here
    finish(d, b);
}

/* [block_ends_before_the_product] wgmma
 * A block must not end before its products are complete. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma(d, A(), B(), false); // <- here
    wgmma_commit();
    b[t] = 0;
}

/* [no_group_begins] deadlock
 * Two warpgroups take turns. Each waits until the other one has arrived. One of
 * them must arrive before its first wait. */
KERNEL(1, 256)
{
    int group = t / 128;
    for (int j = 0; j < 2; j++) {
        bar_sync(1 + group, 256); // <- here
        b[t] += 1;
        bar_arrive(1 + (group ^ 1), 256);
    }
}

/* [turn_given_to_itself] barrier
 * Each warpgroup must arrive at the other one's barrier. Here each arrives at
 * its own barrier. So its threads are counted twice, and it does not wait. */
KERNEL(1, 256)
{
    int group = t / 128;
    for (int j = 0; j < 2; j++) {
        bar_arrive(1 + group, 256);
        bar_sync(1 + group, 256); // <- here
        b[t] += 1;
    }
}

/* [counts_differ] barrier
 * Until a named barrier opens, all calls must pass the same thread count. */
KERNEL(1, 96)
{
    if (t < 32)
        bar_arrive(1, 64);
    else
        bar_sync(1, 96); // <- here
    b[t] = 1;
}

/* [too_many_registers] registers
 * The block requests 128 x 40 + 256 x 240 = 66560 registers, and a
 * multiprocessor has 65536. On a GPU the last warpgroup waits for ever. */
KERNEL(1, 384)
{
    if (t < 128)
        fewer_registers<40>();
    else
        more_registers<240>(); // <- here
    if (t < 256)
        b[t] = 1;
}

/* The field of a descriptor that contains the stride offset, here 1024
 * bytes. */
static const unsigned long long stride = 1024ull >> 4 << 32;

/* [stride_of_four_rows] wgmma
 * The stride offset must be the size of eight rows: 1024 bytes. Here it is
 * 512. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma(d, A(), B() - stride / 2, false); // <- here
    finish(d, b);
}

/* [dO_by_rows] wrong numbers: b[0] should be 3
 * dP = dO V^T reads dO by rows, and dV = P^T dO reads dO by columns. So dP
 * needs wgmma, and dV wgmma_transposed. Here P is 1 at [0][0], and dO is 3 at
 * [0][1]. So dV is 3 at [0][1]. */
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
    b[t] = d[1]; /* d[1] of thread 0 is at row 0, column 1 */
}
