/* 9_tma_add.cu: mistakes with additions by TMA, which backward rung 4b uses.
 * Threads store a box in shared memory, and one thread issues its addition. A
 * box has 8 rows of 32 floats: 1024 bytes. Page: docs/07_backward.md. */
#include "tools/emulator/cuda_on_cpu/bugs/hopper.h"

static const int bytes = 1024, threads = 64;

/* Returns a tensor map of a, as floats. */
static CUtensorMap sums_of(const float *a)
{
    CUtensorMap map;
    tensor_map_f32(&map, a, 32, 8, 1, 8);
    return map;
}

static __device__ void store(float x)
{
    for (int e = threadIdx.x; e < bytes / 4; e += threads)
        box()[e] = x;
}

/* Commits the group of additions and waits until TMA has read the box. */
static __device__ void close_and_wait()
{
    bulk_commit();
    bulk_wait_read<0>();
}

/* [added_before_all_is_stored] race
 * The fence orders only stores of the same thread before the addition. A
 * barrier is needed for the stores of other threads. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    store(1);
    fence_proxy_async();
    if (t == threads - 1) {
        tma_add(map, smem, 0, 0, 0); // <- here
        close_and_wait();
    }
}

/* NEXT_TILE(statement): the threads store a tile of dQ, and thread 0 issues its
 * addition. Then the statement runs. Then the threads store the next tile in
 * the same place. */
#define NEXT_TILE(...)                                                         \
    MAP_KERNEL(sums_of, 1, threads, bytes)                                     \
    {                                                                          \
        store(1);                                                              \
        fence();                                                               \
        if (t == 0)                                                            \
            tma_add(map, smem, 0, 0, 0);                                       \
        __VA_ARGS__;                                                           \
        __syncthreads();                                                       \
        box()[t] = 2;                                                          \
        if (t == 0)                                                            \
            close_and_wait();                                                  \
    }

/* [next_tile_too_early] race
 * TMA may still read the tile when the next one is stored. */
NEXT_TILE(t == 0 ? bulk_commit() : (void)0) // <- here

/* [additions_not_closed] race
 * bulk_wait_read waits only for committed groups of additions. */
NEXT_TILE(t == 0 ? bulk_wait_read<0>() : (void)0) // <- here

/* [additions_of_one_remain] race
 * There is only one place for a tile, so bulk_wait_read must wait for all
 * groups. Here it may leave one group. */
NEXT_TILE(if (t == 0) bulk_commit(), bulk_wait_read<1>()) // <- here

/* [another_thread_waits] race
 * A group belongs to the thread that committed it. Another thread has no
 * groups, so its wait returns at once. */
NEXT_TILE(t == 0 ? bulk_commit() : bulk_wait_read<0>()) // <- here

/* [read_and_not_yet_added] race
 * bulk_wait_read waits until TMA has read shared memory. Only bulk_wait waits
 * until the sum is complete. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    store(1);
    fence();
    if (t == 0) {
        tma_add(map, smem, 0, 0, 0);
        bulk_commit();
        bulk_wait_read<0>();
        b[0] = a[0]; // <- here
    }
}

/* [block_ends_before_the_read] TMA
 * The block ends and frees its shared memory. TMA may not have read the box
 * yet. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    store(1);
    fence();
    if (t == 0) {
        tma_add(map, smem, 0, 0, 0); // <- here
        bulk_commit();
    }
}

/* [stored_without_swizzle] wrong numbers: b[0] should be 5
 * TMA reads a box with a swizzle: 16-byte piece c of row r must be in the place
 * of piece c ^ r. Here all rows are stored without a swizzle. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    for (int e = t; e < bytes / 4; e += threads)
        box()[e] = (float)(e % 32); // <- here
    fence();
    if (t == 0) {
        tma_add(map, smem, 0, 0, 0);
        bulk_commit();
        bulk_wait<0>();
        b[0] = a[32 + 5];
    }
}
