/* 3_waiting.cu: barriers and warp functions that not everybody comes to.
 * On a GPU: a hang, or worse, none. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

/* [early_return] barrier
 * Threads without a row return, the others wait for them. Today's GPUs let
 * the others pass; the programming guide doesn't allow it. */
__global__ void early_return(float *a, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    a[t] = 1;
    __syncthreads(); // <- here
    a[t] += 1;
}
BUG(early_return<<<1, 64>>>(bench.a, 40));

/* [a_barrier_in_each_branch] barrier
 * Two barriers, each waited at by half of the block. */
__global__ void a_barrier_in_each_branch(float *a)
{
    if (threadIdx.x < 32) {
        a[threadIdx.x] = 1;
        __syncthreads(); // <- here
    } else {
        a[threadIdx.x] = 2;
        __syncthreads();
    }
}
BUG(a_barrier_in_each_branch<<<1, 64>>>(bench.a));

/* [different_numbers_of_turns] barrier
 * Causal attention: each row stops at its own last tile, and with it leaves
 * the loop that holds the barrier. */
__global__ void different_numbers_of_turns(float *a)
{
    int row = threadIdx.x, tiles = row / 16 + 1;
    for (int j = 0; j < tiles; j++)
        __syncthreads(); // <- here
    a[row] = tiles;
}
BUG(different_numbers_of_turns<<<1, 64>>>(bench.a));

/* [shuffle_in_a_branch] deadlock
 * The mask names all 32 lanes, but 16 of them wait elsewhere, for these. */
__global__ void shuffle_in_a_branch(float *a)
{
    float x = a[threadIdx.x];
    if (threadIdx.x < 16)
        x += __shfl_xor_sync(0xffffffffu, x, 1); // <- here
    __syncthreads();
    a[threadIdx.x] = x;
}
BUG(shuffle_in_a_branch<<<1, 32>>>(bench.a));

/* [waiting_for_nobody] deadlock
 * A flag that no thread will ever set. */
__global__ void waiting_for_nobody(float *a)
{
    volatile float *flag = a;
    if (threadIdx.x == 0)
        while (*flag == 0) // <- here
            ;
    a[threadIdx.x + 64] = 1;
}
BUG(waiting_for_nobody<<<1, 32>>>(bench.a));

/* [a_lock_never_released] deadlock
 * The first thread takes the lock and keeps it. */
__global__ void a_lock_never_released(float *a, int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) // <- here
        ;
    a[0] += 1;
}
BUG(a_lock_never_released<<<1, 2>>>(bench.a, (int *)bench.b));

/* [lane_not_in_its_mask] warp
 * A lane must be in the mask of the function that it calls. */
__global__ void lane_not_in_its_mask(float *a)
{
    float x = a[threadIdx.x];
    x += __shfl_xor_sync(0x0000ffffu, x, 1); // <- here
    a[threadIdx.x] = x;
}
BUG(lane_not_in_its_mask<<<1, 32>>>(bench.a));

/* [reading_an_absent_lane] warp
 * The lower half shuffles among itself, yet lane 15 reads lane 16. */
__global__ void reading_an_absent_lane(float *a)
{
    float x = a[threadIdx.x];
    if (threadIdx.x < 16)
        x += __shfl_down_sync(0x0000ffffu, x, 1); // <- here
    a[threadIdx.x] = x;
}
BUG(reading_an_absent_lane<<<1, 32>>>(bench.a));

/* [half_a_warp_multiplies] warp
 * mma.sync is one instruction of the whole warp; a block of 16 threads has
 * only half of one. */
__global__ void half_a_warp_multiplies(float *a)
{
    float c[4] = {0, 0, 0, 0};
    unsigned x[4] = {0, 0, 0, 0}, y[2] = {0, 0};
    mma_m16n8k16_bf16(c, x, y); // <- here
    a[threadIdx.x] = c[0];
}
BUG(half_a_warp_multiplies<<<1, 16>>>(bench.a));
