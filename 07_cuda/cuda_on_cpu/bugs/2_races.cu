/* 2_races.cu: two threads at one word, at least one of them writing, and
 * nothing that says who is first. The results may be right for years.
 * Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

/* [no_barrier] race
 * Thread t reads what thread 63 - t wrote: another warp, which may not have
 * come that far. Here warp 0 came first and read what warp 1 wrote only
 * later; that too is a race. */
__global__ void no_barrier(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    a[t] = s[63 - t]; // <- here
}
BUG(no_barrier<<<1, 64>>>(bench.a));

/* [no_second_barrier] race
 * A tile loop needs two barriers a turn: after the tile is loaded, and before
 * the next one overwrites it. The second is missing. */
__global__ void no_second_barrier(float *a)
{
    __shared__ float tile[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 3; j++) {
        tile[t] = a[64 * j + t]; // <- here
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += tile[k];
    }
    a[192 + t] = sum;
}
BUG(no_second_barrier<<<1, 64>>>(bench.a));

/* [next_value_too_early] race
 * Thread 0 publishes a value, all read it; without a second barrier thread 0
 * publishes the next while others still read. */
__global__ void next_value_too_early(float *a)
{
    __shared__ float m;
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            m = a[i];
        __syncthreads();
        sum += m; // <- here
    }
    a[64 + threadIdx.x] = sum;
}
BUG(next_value_too_early<<<1, 64>>>(bench.a));

/* [everybody_writes] race
 * All threads store their own value in one word: the last one wins, whoever
 * that is. */
__global__ void everybody_writes(float *a)
{
    __shared__ float m;
    m = a[threadIdx.x] + threadIdx.x; // <- here
    __syncthreads();
    a[threadIdx.x] = m;
}
BUG(everybody_writes<<<1, 64>>>(bench.a));

/* [in_place] race
 * Shifting an array in place: one thread's output is another's input, and a
 * block's barrier between reading and writing is missing. */
__global__ void in_place(float *a)
{
    int t = threadIdx.x;
    a[t] = a[(t + 1) % 64]; // <- here
}
BUG(in_place<<<1, 64>>>(bench.a));

/* [warp_without_sync] race
 * The lanes of a warp no longer run in step (since Volta): even within one
 * warp, what another lane wrote needs a __syncwarp. */
__global__ void warp_without_sync(float *a)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    a[t] = s[31 - t]; // <- here
}
BUG(warp_without_sync<<<1, 32>>>(bench.a));

/* [warp_sync_for_two_warps] race
 * __syncwarp orders one warp; the word was written by the other one. */
__global__ void warp_sync_for_two_warps(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncwarp();
    a[t] = s[63 - t]; // <- here
}
BUG(warp_sync_for_two_warps<<<1, 64>>>(bench.a));

/* [one_warp_sync_a_turn] race
 * A loop needs two here as well: before reading, and before overwriting. */
__global__ void one_warp_sync_a_turn(float *a)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        s[t] = a[32 * i + t];
        __syncwarp();
        sum += s[31 - t]; // <- here
    }
    a[t] = sum;
}
BUG(one_warp_sync_a_turn<<<1, 32>>>(bench.a));

/* [shuffle_is_no_fence] race
 * A shuffle makes lanes wait for one another, but promises nothing about
 * memory: the store may still be on its way. */
__global__ void shuffle_is_no_fence(float *a)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    float x = __shfl_xor_sync(0xffffffffu, a[t], 1);
    a[t] = s[31 - t] + x; // <- here
}
BUG(shuffle_is_no_fence<<<1, 32>>>(bench.a));

/* [partners_not_in_the_mask] race
 * __syncwarp(0xffff) speaks for the lower half only; the values come from the
 * upper half. */
__global__ void partners_not_in_the_mask(float *a)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    if (t < 16) {
        __syncwarp(0xffffu);
        a[t] = s[t + 16]; // <- here
    }
}
BUG(partners_not_in_the_mask<<<1, 32>>>(bench.a));

/* [blocks_add_up] race
 * Every block adds to one word. Between blocks there is no barrier at all:
 * atomicAdd, or a word for each block. */
__global__ void blocks_add_up(const float *a, float *sum)
{
    if (threadIdx.x == 0)
        *sum += a[blockIdx.x]; // <- here
}
BUG(blocks_add_up<<<4, 32>>>(bench.a, bench.b));

/* [blocks_overlap] race
 * Blocks are 64 rows apart and write 96: the tail of each is the next one's
 * head. */
__global__ void blocks_overlap(float *a)
{
    a[64 * blockIdx.x + threadIdx.x] = blockIdx.x; // <- here
}
BUG(blocks_overlap<<<2, 96>>>(bench.a));

/* [block_reads_its_neighbour] race
 * One block reads what another writes in the same launch. Which value it gets
 * depends on which block ran first. */
__global__ void block_reads_its_neighbour(float *a)
{
    int i = blockIdx.x;
    if (threadIdx.x == 0)
        a[i] = a[i + 1] + 1; // <- here
}
BUG(block_reads_its_neighbour<<<2, 32>>>(bench.a));

/* [last_block_overwrites] race
 * Every block reads the word, the last one replaces it: on a GPU the last
 * block by number may well be the first to run. */
__global__ void last_block_overwrites(float *a)
{
    float x = a[0];
    __syncthreads();
    if (blockIdx.x == 3 && threadIdx.x == 0)
        a[0] = x + 1; // <- here
    a[1 + blockIdx.x * 32 + threadIdx.x] = x;
}
BUG(last_block_overwrites<<<4, 32>>>(bench.a));

/* [two_halves_of_a_word] race
 * bf16 neighbours share a word, and that is fine; here two threads write the
 * same half of it. */
__global__ void two_halves_of_a_word(__nv_bfloat16 *a)
{
    __shared__ __nv_bfloat16 s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    s[t ^ 1] = a[t]; // <- here
    __syncthreads();
    a[t] = s[63 - t];
}
BUG(two_halves_of_a_word<<<1, 64>>>((__nv_bfloat16 *)bench.a));
