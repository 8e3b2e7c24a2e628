/* 6_tma.cu: mistakes with TMA and mbarriers, as rungs 8 and 9 use them. What
 * they begin with is in hopper.h. Page: docs/hopper.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

/* --- One box -------------------------------------------------------------- */

/* [box_not_waited_for] race
 * A barrier waits for threads; what TMA brings, an mbarrier counts. */
__global__ void box_not_waited_for(const __grid_constant__ CUtensorMap map,
                                   float *b)
{
    make_barriers_and_ask(&map);
    __syncthreads();
    b[threadIdx.x] = box()[threadIdx.x]; // <- here
    mbarrier_wait(&full, 0);
}
BUG(box_not_waited_for<<<1, 64, 1024>>>(map_of(bench.a), bench.b));

/* [waited_for_the_wrong_phase] race
 * A new mbarrier counts as if phase -1, of parity 1, were over: a wait for
 * parity 1 does not wait. */
__global__ void
waited_for_the_wrong_phase(const __grid_constant__ CUtensorMap map, float *b)
{
    make_barriers_and_ask(&map);
    mbarrier_wait(&full, 1);
    b[threadIdx.x] = box()[threadIdx.x]; // <- here
    mbarrier_wait(&full, 0);
}
BUG(waited_for_the_wrong_phase<<<1, 64, 1024>>>(map_of(bench.a), bench.b));

/* [one_thread_waited] race
 * The wait tells the thread that waits, and nobody else. */
__global__ void one_thread_waited(const __grid_constant__ CUtensorMap map,
                                  float *b)
{
    make_barriers_and_ask(&map);
    if (threadIdx.x == 0)
        mbarrier_wait(&full, 0);
    b[threadIdx.x] = box()[threadIdx.x]; // <- here
}
BUG(one_thread_waited<<<1, 64, 1024>>>(map_of(bench.a), bench.b));

/* [no_fence_after_init] mbarrier
 * TMA is not a thread of the block: __syncthreads does not show it the new
 * barrier. */
__global__ void no_fence_after_init(const __grid_constant__ CUtensorMap map)
{
    if (threadIdx.x == 0)
        mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem, &map, &full, 0, 0, 0); // <- here
    }
    mbarrier_wait(&full, 0);
}
BUG(no_fence_after_init<<<1, 64, 1024>>>(map_of(bench.a)));

/* [no_barrier_after_init] mbarrier
 * Other threads may come to the barrier before it is one. */
__global__ void no_barrier_after_init(const __grid_constant__ CUtensorMap map)
{
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init();
        ask(&map);
    }
    mbarrier_wait(&full, 0); // <- here
}
BUG(no_barrier_after_init<<<1, 64, 1024>>>(map_of(bench.a)));

/* [bytes_not_announced] mbarrier
 * The phase ends with the arrival: it does not know that bytes are to come. */
__global__ void bytes_not_announced(const __grid_constant__ CUtensorMap map)
{
    make_barriers();
    if (threadIdx.x == 0) {
        tma_load(smem, &map, &full, 0, 0, 0);
        mbarrier_arrive(&full); // <- here
    }
    mbarrier_wait(&full, 0);
}
BUG(bytes_not_announced<<<1, 64, 1024>>>(map_of(bench.a)));

/* [bytes_that_never_come] deadlock
 * Twice the bytes of the box: the phase never ends. (Boxes at the edge of the
 * tensor bring all their bytes: zeros count.) */
__global__ void bytes_that_never_come(const __grid_constant__ CUtensorMap map)
{
    make_barriers();
    if (threadIdx.x == 0) {
        mbarrier_arrive_and_expect(&full, 2048);
        tma_load(smem, &map, &full, 0, 4, 0);
    }
    mbarrier_wait(&full, 0); // <- here
}
BUG(bytes_that_never_come<<<1, 64, 1024>>>(map_of(bench.a)));

/* [every_lane_asks] mbarrier
 * One thread asks for a box. Here a warp does, and 31 arrivals are too many. */
__global__ void every_lane_asks(const __grid_constant__ CUtensorMap map)
{
    make_barriers();
    if (threadIdx.x < 32) {
        mbarrier_arrive_and_expect(&full, 1024); // <- here
        tma_load(smem, &map, &full, 0, 0, 0);
    }
    mbarrier_wait(&full, 0);
}
BUG(every_lane_asks<<<1, 64, 1024>>>(map_of(bench.a)));

/* [box_not_aligned] TMA
 * The swizzle goes by address: a tile must begin where its pattern does. */
__global__ void box_not_aligned(const __grid_constant__ CUtensorMap map)
{
    make_barriers();
    if (threadIdx.x == 0) {
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem + 128, &map, &full, 0, 0, 0); // <- here
    }
    mbarrier_wait(&full, 0);
}
BUG(box_not_aligned<<<1, 64, 2048>>>(map_of(bench.a)));

/* --- A producer and a warp of consumers ----------------------------------- */

/* The warp takes what has come. */
static __device__ void take(int i, float *b)
{
    mbarrier_wait(&full, i);
    b[threadIdx.x] += box()[threadIdx.x];
}

/* [refilled_too_soon] race
 * The producer must wait until the stage is empty. */
__global__ void refilled_too_soon(const __grid_constant__ CUtensorMap map,
                                  float *b)
{
    make_barriers();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 32) {
            mbarrier_arrive_and_expect(&full, 1024);
            tma_load(smem, &map, &full, 0, 0, 0); // <- here
        }
        if (threadIdx.x < 32)
            take(i, b);
        __syncwarp();
    }
}
BUG(refilled_too_soon<<<1, 64, 1024>>>(map_of(bench.a), bench.b));

/* [released_for_others] race
 * Lane 0 says that the warp is done; without __syncwarp it knows only of
 * itself. */
__global__ void released_for_others(const __grid_constant__ CUtensorMap map,
                                    float *b)
{
    make_barriers();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 32) {
            mbarrier_wait(&empty, i ^ 1);
            mbarrier_arrive_and_expect(&full, 1024);
            tma_load(smem, &map, &full, 0, 0, 0); // <- here
        }
        if (threadIdx.x < 32)
            take(i, b);
        if (threadIdx.x == 0)
            mbarrier_arrive(&empty);
    }
}
BUG(released_for_others<<<1, 64, 1024>>>(map_of(bench.a), bench.b));

/* [waits_for_a_full_turn] deadlock
 * At first every stage is empty, and nobody has said so: the producer's first
 * wait must be for the phase before the first, of parity 1. */
__global__ void waits_for_a_full_turn(const __grid_constant__ CUtensorMap map,
                                      float *b)
{
    make_barriers(32);
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 32) {
            mbarrier_wait(&empty, i);
            ask(&map);
        }
        if (threadIdx.x < 32) {
            mbarrier_wait(&full, i); // <- here
            b[threadIdx.x] += box()[threadIdx.x];
            mbarrier_arrive(&empty);
        }
    }
}
BUG(waits_for_a_full_turn<<<1, 64, 1024>>>(map_of(bench.a), bench.b));

/* [one_consumer_too_many] deadlock
 * `empty` counts 33 arrivals, and 32 threads read. */
__global__ void one_consumer_too_many(const __grid_constant__ CUtensorMap map,
                                      float *b)
{
    make_barriers(33);
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 32) {
            mbarrier_wait(&empty, i ^ 1);
            ask(&map);
        }
        if (threadIdx.x < 32) {
            mbarrier_wait(&full, i); // <- here
            b[threadIdx.x] += box()[threadIdx.x];
            mbarrier_arrive(&empty);
        }
    }
}
BUG(one_consumer_too_many<<<1, 64, 1024>>>(map_of(bench.a), bench.b));
