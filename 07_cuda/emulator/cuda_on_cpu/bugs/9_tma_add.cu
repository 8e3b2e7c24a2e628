/* 9_tma_add.cu: mistakes with TMA's additions, as backward rung 4b uses them:
 * threads put a box down in shared memory, one thread has it added to an array.
 * A box of 8 rows of 32 floats is 1024 bytes. Page: docs/07_backward.md. */
#include "07_cuda/emulator/cuda_on_cpu/bugs/hopper.h"

static const int bytes = 1024, threads = 64;

/* Of the first array, as fp32. */
static CUtensorMap sums_of(const float *a)
{
    CUtensorMap map;
    tensor_map_f32(&map, a, 32, 8, 1, 8);
    return map;
}

static __device__ void put_down(float x)
{
    for (int e = threadIdx.x; e < bytes / 4; e += threads)
        box()[e] = x;
}

/* All is closed, and read by TMA. */
static __device__ void close_and_wait()
{
    bulk_commit();
    bulk_wait_read<0>();
}

/* [added_before_all_is_there] race
 * The fence is for stores of the same thread. For those of the others it
 * needs a barrier. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    put_down(1);
    fence_proxy_async();
    if (t == threads - 1) {
        tma_add(map, smem, 0, 0, 0); // <- here
        close_and_wait();
    }
}

/* A tile of dQ is stored, and TMA begins to add it; the argument is done; then
 * the next tile is stored in the same place. */
#define NEXT_TILE(...)                                                         \
    MAP_KERNEL(sums_of, 1, threads, bytes)                                     \
    {                                                                          \
        put_down(1);                                                           \
        show();                                                                \
        if (t == 0)                                                            \
            tma_add(map, smem, 0, 0, 0);                                       \
        __VA_ARGS__;                                                           \
        __syncthreads();                                                       \
        box()[t] = 2;                                                          \
        if (t == 0)                                                            \
            close_and_wait();                                                  \
    }

/* [next_tile_too_early] race
 * TMA still reads the tile when the next one is stored. */
NEXT_TILE(t == 0 ? bulk_commit() : (void)0) // <- here

/* [additions_not_closed] race
 * What is in no closed group is not waited for. */
NEXT_TILE(t == 0 ? bulk_wait_read<0>() : (void)0) // <- here

/* [additions_of_one_remain] race
 * With one place there is none to spare: no group may remain. */
NEXT_TILE(if (t == 0) bulk_commit(), bulk_wait_read<1>()) // <- here

/* [another_thread_waits] race
 * Groups belong to the thread that closed them. Another one has none, and does
 * not wait. */
NEXT_TILE(t == 0 ? bulk_commit() : bulk_wait_read<0>()) // <- here

/* [read_and_not_yet_added] race
 * bulk_wait_read: shared memory is free again. That the sum is there says
 * bulk_wait. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    put_down(1);
    show();
    if (t == 0) {
        tma_add(map, smem, 0, 0, 0);
        bulk_commit();
        bulk_wait_read<0>();
        b[0] = a[0]; // <- here
    }
}

/* [gone_before_it_was_read] TMA
 * With the block its shared memory ends. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    put_down(1);
    show();
    if (t == 0) {
        tma_add(map, smem, 0, 0, 0); // <- here
        bulk_commit();
    }
}

/* [put_down_by_rows] wrong numbers: b[0] should be 5
 * TMA reads a box with a swizzle as it would load one: piece c of row r is
 * where piece c ^ r would be. Here row 1 was stored as if there were none. */
MAP_KERNEL(sums_of, 1, threads, bytes)
{
    for (int e = t; e < bytes / 4; e += threads)
        box()[e] = (float)(e % 32); // <- here
    show();
    if (t == 0) {
        tma_add(map, smem, 0, 0, 0);
        bulk_commit();
        bulk_wait<0>();
        b[0] = a[32 + 5];
    }
}
