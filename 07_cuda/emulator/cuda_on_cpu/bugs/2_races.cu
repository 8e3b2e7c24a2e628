/* 2_races.cu: two threads access one word without an order, and at least one of
 * them writes. The results may be right for years.
 * Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/emulator/cuda_on_cpu/bugs/gallery.h"

static __shared__ float s[64];

/* [no_barrier] race
 * Thread t reads a word that thread 63 - t of another warp writes, perhaps
 * later. Here warp 0 ran first and read words that warp 1 wrote later, which is
 * a race too. */
KERNEL(1, 64)
{
    s[t] = a[t];
    a[t] = s[63 - t]; // <- here
}

/* [no_second_barrier] race
 * A tile loop needs two barriers per turn: after the tile is loaded, and before
 * the next one overwrites it. The second is missing. */
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
 * Thread 0 stores a value and all threads read it. Without a second barrier
 * thread 0 may store the next value while others still read. */
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
 * All threads store different values in one word. The last value stays, and any
 * thread may be the last one. */
KERNEL(1, 64)
{
    __shared__ float m;
    m = a[t] + t; // <- here
    __syncthreads();
    a[t] = m;
}

/* [in_place] race
 * An array is shifted in place: one thread's output is another's input. A
 * barrier between reads and writes is missing. */
KERNEL(1, 64)
{
    a[t] = a[(t + 1) % 64]; // <- here
}

/* [warp_without_sync] race
 * Since Volta the lanes of a warp need not run in step. To read a word that
 * another lane wrote, a __syncwarp is needed. */
KERNEL(1, 32)
{
    s[t] = a[t];
    a[t] = s[31 - t]; // <- here
}

/* [warp_sync_for_two_warps] race
 * __syncwarp orders one warp; the other warp wrote the word. */
KERNEL(1, 64)
{
    s[t] = a[t];
    __syncwarp();
    a[t] = s[63 - t]; // <- here
}

/* [one_warp_sync_a_turn] race
 * A loop needs two: before the read, and before the next store. */
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
 * In a shuffle lanes wait for each other, but it does not order memory: the
 * store may not be complete. */
KERNEL(1, 32)
{
    s[t] = a[t];
    float x = __shfl_xor_sync(0xffffffffu, a[t], 1);
    a[t] = s[31 - t] + x; // <- here
}

/* [partners_not_in_the_mask] race
 * __syncwarp(0xffff) orders the lower half only. The values are stored by the
 * upper half. */
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
 * Blocks begin 64 rows apart and write 96 rows, so two blocks write the same
 * rows. */
KERNEL(2, 96)
{
    a[64 * blockIdx.x + t] = blockIdx.x; // <- here
}

/* [block_reads_its_neighbour] race
 * One block reads a word that another block writes in the same launch. The
 * value depends on the order of the blocks. */
KERNEL(2, 32)
{
    int i = blockIdx.x;
    if (t == 0)
        a[i] = a[i + 1] + 1; // <- here
}

/* [last_block_overwrites] race
 * Every block reads the word, and the last block replaces it. On a GPU the last
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
 * Two threads may write the two bf16 of a word. Here two threads write the same
 * half. */
KERNEL(1, 64)
{
    __shared__ __nv_bfloat16 s[64];
    s[t] = __float2bfloat16(a[t]);
    s[t ^ 1] = s[t]; // <- here
}

/* [cleared_by_one_of_them] race
 * One block sets dQ to 0 before it adds. Other blocks may have added before. */
KERNEL(4, 4)
{
    if (blockIdx.x == 3)
        a[t] = 0; // <- here
    atomicAdd(&a[t], b[t]);
}

/* [rounded_too_early] race
 * A block adds its part of dQ and rounds the sum, but other blocks still add to
 * it. Rounding needs another kernel. */
KERNEL(4, 4)
{
    atomicAdd(&a[t], 1); // <- here
    if (blockIdx.x == 0)
        b[t] = a[t];
}
