/* 3_waiting.cu: barriers and warp functions that some threads do not reach, and
 * endless loops. On a GPU such a kernel may hang or compute wrong results.
 * Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

/* [early_return] barrier
 * Threads without a row return. Current GPUs do not wait for these at the
 * barrier. But the programming guide requires that all threads of the block
 * reach it. */
KERNEL(1, 64)
{
    if (t >= 40)
        return;
    a[t] = 1;
    __syncthreads(); // <- here
    a[t] += 1;
}

/* [a_barrier_in_each_branch] barrier
 * Half of the threads wait at one barrier, and the other half at another
 * one. */
KERNEL(1, 64)
{
    if (t < 32) {
        a[t] = 1;
        __syncthreads(); // <- here
    } else {
        a[t] = 2;
        __syncthreads();
    }
}

/* [different_numbers_of_turns] barrier
 * With a causal limit each row has its own last tile. So the threads execute
 * the loop's barrier different numbers of times. */
KERNEL(1, 64)
{
    int tiles = t / 16 + 1;
    for (int j = 0; j < tiles; j++)
        __syncthreads(); // <- here
    a[t] = tiles;
}

/* [shuffle_in_a_branch] deadlock
 * The mask contains all 32 lanes, but lanes 16 to 31 do not shuffle. They wait
 * for lanes 0 to 15 at a barrier. */
KERNEL(1, 32)
{
    float x = a[t];
    if (t < 16)
        x += __shfl_xor_sync(0xffffffffu, x, 1); // <- here
    __syncthreads();
    a[t] = x;
}

/* [flag_never_set] deadlock
 * No thread sets the flag. */
KERNEL(1, 32)
{
    volatile float *flag = a;
    if (t == 0)
        while (*flag == 0) // <- here
            ;
    a[t + 64] = 1;
}

/* [a_lock_never_released] deadlock
 * The first thread takes the lock and does not release it. */
KERNEL(1, 2)
{
    int *lock = (int *)b;
    while (atomicCAS(lock, 0, 1) != 0) // <- here
        ;
    a[0] += 1;
}

/* [lane_not_in_its_mask] warp
 * A lane must be in the mask of the warp function that it calls. */
KERNEL(1, 32)
{
    float x = a[t];
    x += __shfl_xor_sync(0x0000ffffu, x, 1); // <- here
    a[t] = x;
}

/* [reading_an_absent_lane] warp
 * Only the lower half calls the shuffle, but lane 15 reads lane 16. */
KERNEL(1, 32)
{
    float x = a[t];
    if (t < 16)
        x += __shfl_down_sync(0x0000ffffu, x, 1); // <- here
    a[t] = x;
}

/* [half_a_warp_multiplies] warp
 * All 32 lanes of a warp must execute mma.sync together. A block of 16 threads
 * has only half a warp. */
KERNEL(1, 16)
{
    float c[4] = {0, 0, 0, 0};
    unsigned x[4] = {0, 0, 0, 0}, y[2] = {0, 0};
    mma_m16n8k16_bf16(c, x, y); // <- here
    a[t] = c[0];
}
