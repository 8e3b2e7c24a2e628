/* 2_races.cu: two threads access one word without an order, and at least one of
 * them writes. The result is often right by chance. Page:
 * docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

static __shared__ float s[64];

/* [no_barrier] race
 * Thread t reads a word that thread 63 - t of the other warp writes. Without a
 * barrier the write may come after the read, as it does here in warp 0. */
KERNEL(1, 64)
{
    s[t] = a[t];
    a[t] = s[63 - t]; // <- here
}

/* [no_second_barrier] race
 * Each iteration of a tile loop needs two barriers: one after the tile is
 * loaded, and one before the next tile overwrites it. The second is missing. */
KERNEL(1, 64)
{
    __shared__ float tile[64];
    float sum = 0;
    for (int j = 0; j < 3; j++) {
        tile[t] = a[64 * j + t]; // <- here
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += tile[k];
    }
    a[192 + t] = sum;
}

/* [next_value_too_early] race
 * Thread 0 stores a value and all threads read it. Without a second barrier,
 * thread 0 may store the next value while other threads still read. */
KERNEL(1, 64)
{
    __shared__ float m;
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        if (t == 0)
            m = a[i];
        __syncthreads();
        sum += m; // <- here
    }
    a[64 + t] = sum;
}

/* [all_threads_write] race
 * All threads store different values in one word. The word keeps the last
 * value, and any thread may be the last one. */
KERNEL(1, 64)
{
    __shared__ float m;
    m = a[t] + t; // <- here
    __syncthreads();
    a[t] = m;
}

/* [in_place] race
 * The kernel shifts an array in place: thread t writes the word that thread t -
 * 1 reads. A barrier between the reads and the writes is missing. */
KERNEL(1, 64)
{
    a[t] = a[(t + 1) % 64]; // <- here
}

/* [warp_without_sync] race
 * Since Volta the lanes of a warp need not execute an instruction at the same
 * time. A __syncwarp is needed before a lane reads what another lane wrote. */
KERNEL(1, 32)
{
    s[t] = a[t];
    a[t] = s[31 - t]; // <- here
}

/* [warp_sync_for_two_warps] race
 * __syncwarp orders the lanes of one warp. Here a thread of the other warp
 * wrote the word. */
KERNEL(1, 64)
{
    s[t] = a[t];
    __syncwarp();
    a[t] = s[63 - t]; // <- here
}

/* [one_warp_sync_a_turn] race
 * Each iteration of the loop needs two __syncwarp: one before the read, and one
 * before the next store. */
KERNEL(1, 32)
{
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        s[t] = a[32 * i + t];
        __syncwarp();
        sum += s[31 - t]; // <- here
    }
    a[t] = sum;
}

/* [shuffle_is_no_fence] race
 * In a shuffle the lanes wait for each other, but a shuffle does not order
 * memory. The store of another lane may not be complete. */
KERNEL(1, 32)
{
    s[t] = a[t];
    float x = __shfl_xor_sync(0xffffffffu, a[t], 1);
    a[t] = s[31 - t] + x; // <- here
}

/* [partners_not_in_the_mask] race
 * __syncwarp(0xffff) orders only lanes 0 to 15. Lanes 16 to 31 store the values
 * that are read. */
KERNEL(1, 32)
{
    s[t] = a[t];
    if (t < 16) {
        __syncwarp(0xffffu);
        a[t] = s[t + 16]; // <- here
    }
}

/* [blocks_add_up] race
 * Every block adds to one word, and there is no barrier between blocks. Use
 * atomicAdd, or one word per block. */
KERNEL(4, 32)
{
    if (t == 0)
        *b += a[blockIdx.x]; // <- here
}

/* [blocks_overlap] race
 * Block i writes 96 elements from element 64 i, so two blocks write the same
 * elements. */
KERNEL(2, 96)
{
    a[64 * blockIdx.x + t] = blockIdx.x; // <- here
}

/* [block_reads_its_neighbour] race
 * Block i reads a word that block i + 1 writes in the same launch. The value
 * depends on the order of the blocks. */
KERNEL(2, 32)
{
    int i = blockIdx.x;
    if (t == 0)
        a[i] = a[i + 1] + 1; // <- here
}

/* [last_block_overwrites] race
 * Every block reads a[0], and the last block overwrites it. On a GPU the last
 * block may run first. */
KERNEL(4, 32)
{
    float x = a[0];
    __syncthreads();
    if (blockIdx.x == 3 && t == 0)
        a[0] = x + 1; // <- here
    a[1 + blockIdx.x * 32 + t] = x;
}

/* [two_halves_of_a_word] race
 * Two threads may write the two halves of a word, each a bf16. Here two threads
 * write the same half. */
KERNEL(1, 64)
{
    __shared__ __nv_bfloat16 s[64];
    s[t] = __float2bfloat16(a[t]);
    s[t ^ 1] = s[t]; // <- here
}

/* [cleared_by_one_of_them] race
 * One block sets dQ to 0 before it adds its part. Other blocks may already have
 * added their parts. */
KERNEL(4, 4)
{
    if (blockIdx.x == 3)
        a[t] = 0; // <- here
    atomicAdd(&a[t], b[t]);
}

/* [rounded_too_early] race
 * A block adds its part of dQ and rounds the sum, while other blocks still add
 * theirs. The rounding needs a separate kernel. */
KERNEL(4, 4)
{
    atomicAdd(&a[t], 1); // <- here
    if (blockIdx.x == 0)
        b[t] = a[t];
}

/* [fence_of_another_thread] race
 * Each block adds its parts to a list, and the last block reads the list. But
 * only thread 0 executes __threadfence, which orders no store of thread 1. */
KERNEL(2, 2)
{
    __shared__ bool last;
    b[2 + 2 * blockIdx.x + t] = a[t];
    if (t == 0) {
        __threadfence();
        last = atomicAdd((int *)b, 1) == 1;
    }
    __syncthreads();
    if (last)
        a[t] = b[2 + t] + b[3 - t]; // <- here
}
