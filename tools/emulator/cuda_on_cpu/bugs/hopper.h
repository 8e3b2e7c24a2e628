/* hopper.h: functions and macros for bugs with Hopper's instructions:
 * mbarriers, a box for TMA, tiles for wgmma. */
#pragma once
#include "07_cuda/ptx/ptx_hopper.h"
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

extern __shared__ __align__(1024) char smem[];

/* --- TMA ------------------------------------------------------------------ */

static __shared__ mbarrier full, empty;

/* One thread initialises both mbarriers. A phase of `full` needs one arrival,
 * and a phase of `empty` one arrival per consumer. */
static inline __device__ void make_barriers(int consumers = 1)
{
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_init(&empty, consumers);
        fence_mbarrier_init();
    }
    __syncthreads();
}

/* Returns a tensor map of a, as bf16. A box has 8 rows of 64 columns: 1024
 * bytes. */
static inline CUtensorMap map_of(const float *a)
{
    CUtensorMap map;
    tensor_map_bf16(&map, a, 64, 8, 8, 1, 8);
    return map;
}

/* MAP_KERNEL(make_map, blocks, threads, bytes) is like KERNEL. In its body, map
 * is make_map(a). TMA_KERNEL uses map_of(a). */
#define TMA_KERNEL(...) MAP_KERNEL(map_of, __VA_ARGS__)
#define MAP_KERNEL(...) MAP_KERNEL_OF(NAMED(kernel, __LINE__), __VA_ARGS__)
#define MAP_KERNEL_OF(body, make_map, ...)                                     \
    static __device__ void body(const CUtensorMap *map, float *a, float *b,    \
                                int t);                                        \
    BUG(LAUNCH(with_map, body, __VA_ARGS__)(make_map(bench.a), bench.a,        \
                                            bench.b));                         \
    static __device__ void body(const CUtensorMap *map, float *a, float *b,    \
                                int t)

template <void (*body)(const CUtensorMap *, float *, float *, int)>
__global__ void with_map(const __grid_constant__ CUtensorMap map, float *a,
                         float *b)
{
    body(&map, a, b, threadIdx.x);
}

/* Returns the box in shared memory, as floats. */
static inline __device__ float *box()
{
    return (float *)smem;
}

/* issue(map) arrives at `full`, announces the box's bytes and issues the copy.
 * load_box(map) only issues the copy. They are macros, so that findings name
 * the line that uses them. */
#define issue(map)    (mbarrier_arrive_and_expect(&full, 1024), load_box(map))
#define load_box(map) tma_load(smem, map, &full, 0, 0, 0)

/* Thread 0 initialises the barriers and issues the copy. */
static inline __device__ void make_barriers_and_issue(const CUtensorMap *map)
{
    make_barriers();
    if (threadIdx.x == 0)
        issue(map);
}

/* Makes all stores of the block visible to TMA and wgmma. */
static inline __device__ void fence()
{
    fence_proxy_async();
    __syncthreads();
}

/* --- wgmma ---------------------------------------------------------------- */

/* The bytes of one tile (A or B, 64 rows of 64 bf16), and of both tiles. */
static const int tile = 64 * 128, both = 2 * tile;

static inline __device__ unsigned long long A()
{
    return wgmma_operand(smem);
}
static inline __device__ unsigned long long B()
{
    return wgmma_operand(smem + tile);
}

static inline __device__ void zero_tiles()
{
    for (int i = threadIdx.x; i < both / 4; i += blockDim.x)
        ((float *)smem)[i] = 0;
    fence();
}

/* WGMMA_KERNEL(blocks, threads, bytes) is like KERNEL. Its body has b, the
 * tiles A() and B() of zeros, registers P for an operand, and accumulators d
 * and e. */
#define WGMMA_KERNEL(...) WGMMA_KERNEL_OF(NAMED(kernel, __LINE__), __VA_ARGS__)
#define WGMMA_KERNEL_OF(body, ...)                                             \
    static __device__ void body(float *b, int t, unsigned(&P)[4],              \
                                float(&d)[32], float(&e)[32]);                 \
    BUG(LAUNCH(with_tiles, body, __VA_ARGS__)(bench.b));                       \
    static __device__ void body(float *b, int t, unsigned(&P)[4],              \
                                float(&d)[32], float(&e)[32])

template <void (*body)(float *, int, unsigned (&)[4], float (&)[32],
                       float (&)[32])>
__global__ void with_tiles(float *b)
{
    unsigned P[4] = {};
    float d[32] = {}, e[32] = {};
    zero_tiles();
    wgmma_fence();
    body(b, threadIdx.x, P, d, e);
}

/* Commits the group of products, waits for it, and stores each thread's d[0]
 * in b. */
template <int n> static inline __device__ void finish(float (&d)[n], float *b)
{
    wgmma_commit();
    wgmma_wait<0>(d);
    b[threadIdx.x] = d[0];
}
