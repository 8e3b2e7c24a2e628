/* 6_tma.cu: mistakes with TMA and mbarriers, as rungs 8 and 9 use them. What
 * they begin with is in hopper.h. Page: docs/hopper.md. */
#include "07_cuda/emulator/cuda_on_cpu/bugs/hopper.h"

/* --- One box -------------------------------------------------------------- */

/* [box_not_waited_for] race
 * A barrier waits for threads; what TMA brings, an mbarrier counts. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_ask(map);
    __syncthreads();
    b[t] = box()[t]; // <- here
    mbarrier_wait(&full, 0);
}

/* [waited_for_the_wrong_phase] race
 * A new mbarrier counts as if phase -1, of parity 1, were over: a wait for
 * parity 1 does not wait. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_ask(map);
    mbarrier_wait(&full, 1);
    b[t] = box()[t]; // <- here
    mbarrier_wait(&full, 0);
}

/* [one_thread_waited] race
 * The wait orders the copy for the waiting thread alone. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_ask(map);
    if (t == 0)
        mbarrier_wait(&full, 0);
    b[t] = box()[t]; // <- here
}

/* [no_fence_after_init] mbarrier
 * TMA is not a thread of the block: __syncthreads does not show it the new
 * barrier. */
TMA_KERNEL(1, 64, 1024)
{
    if (t == 0)
        mbarrier_init(&full, 1);
    __syncthreads();
    if (t == 0)
        ask(map); // <- here
    mbarrier_wait(&full, 0);
}

/* [no_barrier_after_init] mbarrier
 * Other threads may come to the barrier before it is one. */
TMA_KERNEL(1, 64, 1024)
{
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init();
        ask(map);
    }
    mbarrier_wait(&full, 0); // <- here
}

/* [bytes_not_announced] mbarrier
 * The phase ends with the arrival: it does not know that bytes are to come. */
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
 * Twice the bytes of the box: the phase never ends. (Boxes at the edge of the
 * tensor bring all their bytes: zeros count.) */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    if (t == 0) {
        mbarrier_arrive_and_expect(&full, 2048);
        tma_load(smem, map, &full, 0, 4, 0);
    }
    mbarrier_wait(&full, 0); // <- here
}

/* [every_lane_asks] mbarrier
 * One thread issues a box. Here a warp does, and 31 arrivals are too many. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    if (t < 32) {
        ask(map); // <- here
    }
    mbarrier_wait(&full, 0);
}

/* [box_not_aligned] TMA
 * The swizzle goes by address: a tile must begin where its pattern does. */
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

/* The warp takes what has come. */
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
            ask(map); // <- here
        if (t < 32)
            take(i, b);
        __syncwarp();
    }
}

/* [released_for_others] race
 * Lane 0 says that the warp is done; without __syncwarp it knows only of
 * itself. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    for (int i = 0; i < 2; i++) {
        if (t == 32) {
            mbarrier_wait(&empty, i ^ 1);
            ask(map); // <- here
        }
        if (t < 32)
            take(i, b);
        if (t == 0)
            mbarrier_arrive(&empty);
    }
}

/* [waits_for_a_full_turn] deadlock
 * At first every stage is empty without an arrival: the producer's first
 * wait must be for the phase before the first, of parity 1. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers(32);
    for (int i = 0; i < 2; i++) {
        if (t == 32) {
            mbarrier_wait(&empty, i);
            ask(map);
        }
        if (t < 32) {
            mbarrier_wait(&full, i); // <- here
            b[t] += box()[t];
            mbarrier_arrive(&empty);
        }
    }
}
