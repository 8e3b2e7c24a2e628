/* 7_wgmma.cu: mistakes with wgmma, named barriers and registers, as rungs 8 to
 * 10 use them. Page: docs/hopper.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

/* [looks_before_the_wait] wgmma
 * The product is asked for, not there. */
__global__ void looks_before_the_wait(float *b)
{
    float d[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, A(), B(), false);
    wgmma_commit();
    b[threadIdx.x] = d[0]; // <- here
    wgmma_wait<0>(d);
}
BUG(looks_before_the_wait<<<1, 128, both>>>(bench.b));

/* [group_not_closed] wgmma
 * What is in no closed group is not waited for. */
__global__ void group_not_closed(float *b)
{
    float d[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, A(), B(), false);
    wgmma_wait<0>(d);
    b[threadIdx.x] = d[0]; // <- here
    wgmma_commit();
    wgmma_wait<0>(d);
}
BUG(group_not_closed<<<1, 128, both>>>(bench.b));

/* [one_group_too_many_left] wgmma
 * wait<1> lets the newer group be under way: here, that of e. */
__global__ void one_group_too_many_left(float *b)
{
    float d[32], e[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, A(), B(), false);
    wgmma_commit();
    wgmma(e, A(), B(), false);
    wgmma_commit();
    wgmma_wait<1>(d);
    b[threadIdx.x] = d[0] + e[0]; // <- here
    wgmma_wait<0>(e);
}
BUG(one_group_too_many_left<<<1, 128, both>>>(bench.b));

/* [packed_too_early] wgmma
 * P of the next tile is packed while P V of this one still reads P. */
__global__ void packed_too_early(float *b)
{
    float o[32] = {};
    unsigned P[4] = {};
    zero_tiles();
    wgmma_fence();
    wgmma_transposed(o, P, B(), true);
    wgmma_commit();
    P[0] = pack_bf16x2(1, 2); // <- here
    wgmma_wait<0>(o);
    b[threadIdx.x] = o[0] + (float)P[0];
}
BUG(packed_too_early<<<1, 128, both>>>(bench.b));

/* [rescaled_and_not_fenced] wgmma
 * What a thread did to accumulators, the next wgmma need not see without a
 * fence. */
__global__ void rescaled_and_not_fenced(float *b)
{
    float o[32];
    zero_tiles();
    wgmma_fence();
    for (int j = 0; j < 2; j++) {
        wgmma(o, A(), B(), j > 0); // <- here
        wgmma_commit();
        wgmma_wait<0>(o);
        o[0] *= 2;
    }
    b[threadIdx.x] = o[0];
}
BUG(rescaled_and_not_fenced<<<1, 128, both>>>(bench.b));

/* [stores_not_fenced] proxy
 * wgmma reads shared memory by a path of its own: a barrier alone does not
 * show it what threads stored. */
__global__ void stores_not_fenced(float *b)
{
    float d[32];
    zero_tiles();
    ((float *)smem)[threadIdx.x] = 0;
    __syncthreads();
    wgmma_fence();
    wgmma(d, A(), B(), false); // <- here
    finish(d, b);
}
BUG(stores_not_fenced<<<1, 128, both>>>(bench.b));

/* [overwritten_while_read] race
 * The tile is read until the product has been waited for. */
__global__ void overwritten_while_read(float *b)
{
    float d[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, A(), B(), false);
    wgmma_commit();
    ((float *)smem)[threadIdx.x] = 1; // <- here
    wgmma_wait<0>(d);
    b[threadIdx.x] = d[0];
}
BUG(overwritten_while_read<<<1, 128, both>>>(bench.b));

/* [panels_too_close] wgmma
 * V is 128 columns wide here, two panels: the descriptor must say how far
 * apart they are. It says 16 bytes, which is right only for one panel. */
__global__ void panels_too_close(float *b)
{
    float o[64] = {};
    unsigned P[4] = {};
    zero_tiles();
    wgmma_fence();
    wgmma_transposed(o, P, wgmma_operand(smem), true); // <- here
    finish(o, b);
}
BUG(panels_too_close<<<1, 128, both>>>(bench.b));

/* [beyond_the_tile] out of bounds
 * Step k of a tile with rows of 128 bytes is 32 bytes on; a fifth step is in
 * the next panel, and there is none. */
__global__ void beyond_the_tile(float *b)
{
    float d[32] = {};
    zero_tiles();
    wgmma_fence();
    for (int k = 0; k < 5; k++) {
        int step = k / 4 * tile + k % 4 * 32;
        wgmma(d, A(), bytes_on(B(), step), true); // <- here
    }
    finish(d, b);
}
BUG(beyond_the_tile<<<1, 128, both>>>(bench.b));

/* [three_warps] wgmma
 * wgmma is for whole warpgroups: four warps. */
__global__ void three_warps(float *b)
{
    float d[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, A(), B(), false); // <- here
    finish(d, b);
}
BUG(three_warps<<<1, 96, both>>>(bench.b));

/* [gone_before_it_is_done] wgmma
 * A block must not end with products under way. */
__global__ void gone_before_it_is_done(float *b)
{
    float d[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, A(), B(), false); // <- here
    wgmma_commit();
    b[threadIdx.x] = 0;
}
BUG(gone_before_it_is_done<<<1, 128, both>>>(bench.b));

/* [nobody_begins] deadlock
 * Two groups take turns, each waits for the other's sign: somebody must be
 * given the first turn. */
__global__ void nobody_begins(float *b)
{
    int group = threadIdx.x / 128;
    for (int j = 0; j < 2; j++) {
        bar_sync(1 + group, 256); // <- here
        b[threadIdx.x] += 1;
        bar_arrive(1 + (group ^ 1), 256);
    }
}
BUG(nobody_begins<<<1, 256>>>(bench.b));

/* [turn_given_to_itself] barrier
 * Each group arrives at its own barrier instead of the other's: its own
 * threads are counted twice, and it need wait for nobody. */
__global__ void turn_given_to_itself(float *b)
{
    int group = threadIdx.x / 128;
    for (int j = 0; j < 2; j++) {
        bar_arrive(1 + group, 256);
        bar_sync(1 + group, 256); // <- here
        b[threadIdx.x] += 1;
    }
}
BUG(turn_given_to_itself<<<1, 256>>>(bench.b));

/* [counts_differ] barrier
 * All who come to a named barrier must name the same number of threads. */
__global__ void counts_differ(float *b)
{
    if (threadIdx.x < 32)
        bar_arrive(1, 64);
    else
        bar_sync(1, 96); // <- here
    b[threadIdx.x] = 1;
}
BUG(counts_differ<<<1, 96>>>(bench.b));

/* [too_many_registers] registers
 * 128 x 40 + 256 x 240 = 66560 registers: the second warpgroup would wait
 * for ever. */
__global__ void too_many_registers(float *b)
{
    if (threadIdx.x < 128)
        fewer_registers<40>();
    else
        more_registers<240>(); // <- here
    if (threadIdx.x < 256)
        b[threadIdx.x] = 1;
}
BUG(too_many_registers<<<1, 384>>>(bench.b));
