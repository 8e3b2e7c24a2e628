/* 6_tma.cu: mistakes with TMA and mbarriers, which rungs 8 to 12 use. hopper.h
 * defines the parts that these kernels share. Page: docs/hopper.md. */
#include "tools/emulator/cuda_on_cpu/bugs/hopper.h"

/* --- One box -------------------------------------------------------------- */

/* [box_not_waited_for] race
 * __syncthreads waits only for threads. A thread must wait for the mbarrier,
 * which counts TMA's bytes. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_issue(map);
    __syncthreads();
    b[t] = box()[t]; // <- here
    mbarrier_wait(&full, 0);
}

/* [waited_for_the_wrong_phase] race
 * In a new mbarrier, phase 0 is open and phase -1 is complete. Phase -1 has
 * parity 1, so a wait for parity 1 returns at once. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_issue(map);
    mbarrier_wait(&full, 1);
    b[t] = box()[t]; // <- here
    mbarrier_wait(&full, 0);
}

/* [one_thread_waited] race
 * The copy is complete only for a thread that waits for it. Here only thread 0
 * waits. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers_and_issue(map);
    if (t == 0)
        mbarrier_wait(&full, 0);
    b[t] = box()[t]; // <- here
}

/* [no_fence_after_init] mbarrier
 * __syncthreads makes the new mbarrier visible to threads. TMA is not a thread,
 * and needs fence_mbarrier_init. */
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
 * Without a barrier other threads may use the mbarrier before it is
 * initialised. */
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
 * The phase expects no bytes, so it ends with the arrival. The copy may still
 * be running. */
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
 * The phase expects 2048 bytes, twice the bytes of the box, and never ends. (A
 * box at the tensor's edge also has 1024 bytes, since zeros count.) */
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
 * Exactly one thread must issue a box. Here all 32 lanes of a warp issue it,
 * which is 31 arrivals too many. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    if (t < 32) {
        issue(map); // <- here
    }
    mbarrier_wait(&full, 0);
}

/* [box_not_aligned] TMA
 * The 128-byte swizzle repeats every 1024 bytes, so a box must begin at a
 * multiple of 1024 bytes in shared memory. */
TMA_KERNEL(1, 64, 2048)
{
    make_barriers();
    if (t == 0) {
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem + 128, map, &full, 0, 0, 0); // <- here
    }
    mbarrier_wait(&full, 0);
}

/* [ended_before_it_was_seen] mbarrier
 * Thread 0 waits for the end of phase 0. Thread 32 ends phase 1, too, so thread 0 may
 * find phase 2 open. This has the parity of phase 0, and thread 0 waits for ever. */
TMA_KERNEL(1, 64, 1024)
{
    make_barriers();
    if (t == 0)
        mbarrier_wait(&full, 0);
    if (t == 32) {
        mbarrier_arrive(&full);
        mbarrier_arrive(&full); // <- here
    }
}

/* --- A producer and a warp of consumers ----------------------------------- */

/* Waits for phase i of `full`. Adds this thread's element of the box to its
 * element of b. */
static __device__ void take(int i, float *b)
{
    mbarrier_wait(&full, i);
    b[threadIdx.x] += box()[threadIdx.x];
}

/* [refilled_too_soon] race
 * The producer must not refill the box before all consumers have read it. A
 * wait for `empty` is missing. */
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
 * Lane 0 arrives for the whole warp. Without a __syncwarp before the arrival,
 * other lanes may still read. */
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
 * At first the box is empty, but no thread has arrived at `empty`. So the
 * producer's first wait must be for phase -1, which has parity 1. */
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
