/* 6_tma.cu: mistakes with TMA and mbarriers, as rungs 8 and 9 use them.
 * hopper.h has the parts that these kernels share. Page: docs/hopper.md. */
#include "07_cuda/emulator/cuda_on_cpu/bugs/hopper.h"

/* --- One box -------------------------------------------------------------- */

/* [box_not_waited_for] race
 * __syncthreads waits for threads only. The mbarrier counts TMA's bytes. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_issue(map);
    __syncthreads();
    b[t] = box()[t]; // <- here
    mbarrier_wait(&full, 0);
}

/* [waited_for_the_wrong_phase] race
 * For a new mbarrier, phase -1 of parity 1 is complete: a wait for parity 1
 * returns at once. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_issue(map);
    mbarrier_wait(&full, 1);
    b[t] = box()[t]; // <- here
    mbarrier_wait(&full, 0);
}

/* [one_thread_waited] race
 * The wait orders the copy only for the thread that waits. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_issue(map);
    if (t == 0)
        mbarrier_wait(&full, 0);
    b[t] = box()[t]; // <- here
}

/* [no_fence_after_init] mbarrier
 * TMA is not a thread of the block: __syncthreads does not make the mbarrier
 * visible to it. */
TMA_KERNEL(1, 64, 1024)
{
    if (t == 0)
        mbarrier_init(&full, 1);
    __syncthreads();
    if (t == 0)
        issue(map); // <- here
    mbarrier_wait(&full, 0);
}

/* [no_barrier_after_init] mbarrier
 * Other threads may use the mbarrier before it is initialised. */
TMA_KERNEL(1, 64, 1024)
{
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init();
        issue(map);
    }
    mbarrier_wait(&full, 0); // <- here
}

/* [bytes_not_announced] mbarrier
 * The phase ends with the arrival, since it expects no bytes. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    if (t == 0) {
        load_box(map);
        mbarrier_arrive(&full); // <- here
    }
    mbarrier_wait(&full, 0);
}

/* [bytes_that_never_come] deadlock
 * The phase expects twice the bytes of the box and never ends. (A box at the
 * edge of the tensor has all its bytes: zeros count.) */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    if (t == 0) {
        mbarrier_arrive_and_expect(&full, 2048);
        tma_load(smem, map, &full, 0, 4, 0);
    }
    mbarrier_wait(&full, 0); // <- here
}

/* [every_lane_issues] mbarrier
 * One thread must issue a box. Here a warp does, with 31 arrivals too many. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    if (t < 32) {
        issue(map); // <- here
    }
    mbarrier_wait(&full, 0);
}

/* [box_not_aligned] TMA
 * With a swizzle a tile must begin at a multiple of 1024 bytes. */
TMA_KERNEL(1, 64, 2048)
{
    make_barriers();
    if (t == 0) {
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem + 128, map, &full, 0, 0, 0); // <- here
    }
    mbarrier_wait(&full, 0);
}

/* --- A producer and a warp of consumers ----------------------------------- */

/* Waits for phase i, and adds this thread's element of the box to its b. */
static __device__ void take(int i, float *b)
{
    mbarrier_wait(&full, i);
    b[threadIdx.x] += box()[threadIdx.x];
}

/* [refilled_too_soon] race
 * The producer must wait until the stage is empty. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    for (int i = 0; i < 2; i++) {
        if (t == 32)
            issue(map); // <- here
        if (t < 32)
            take(i, b);
        __syncwarp();
    }
}

/* [released_for_others] race
 * Lane 0 arrives for the whole warp. Without __syncwarp other lanes may still
 * read. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    for (int i = 0; i < 2; i++) {
        if (t == 32) {
            mbarrier_wait(&empty, i ^ 1);
            issue(map); // <- here
        }
        if (t < 32)
            take(i, b);
        if (t == 0)
            mbarrier_arrive(&empty);
    }
}

/* [waits_for_a_full_turn] deadlock
 * At first every stage is empty, but no thread has arrived. So the producer's
 * first wait must be for phase -1, which has parity 1. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers(32);
    for (int i = 0; i < 2; i++) {
        if (t == 32) {
            mbarrier_wait(&empty, i);
            issue(map);
        }
        if (t < 32) {
            mbarrier_wait(&full, i); // <- here
            b[t] += box()[t];
            mbarrier_arrive(&empty);
        }
    }
}
