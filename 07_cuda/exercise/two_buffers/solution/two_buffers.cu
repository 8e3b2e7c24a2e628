/*
 * Each iteration starts the copy of the next tile, and waits for all groups but
 * this newest one. After the last tile the newest group is empty, so that the
 * same count is right. The barrier at the end protects the buffer that the next
 * iteration overwrites.
 */
#include <cuda_runtime.h>

#include "07_cuda/ptx/ptx.h"

#include "two_buffers.h"

static __device__ float dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static __device__ void start_tile(float4 *tile, const float *K, int j0, int n)
{
    int t = threadIdx.x;

    if (j0 + t < n)
        cp_async_16(&tile[t], &K[D * (j0 + t)]);
    cp_async_commit();
}

__global__ void best_key(const float *q, const float *K, float *best, int n)
{
    __shared__ float4 tile[2][KEYS];
    int t = threadIdx.x;
    float4 mine = *(const float4 *)&q[D * t];
    float m = -INFINITY;

    start_tile(tile[0], K, 0, n);
    for (int j0 = 0; j0 < n; j0 += KEYS) {
        int here = j0 / KEYS % 2;

        start_tile(tile[1 - here], K, j0 + KEYS, n);
        cp_async_wait<1>();
        __syncthreads();
        for (int j = 0; j < KEYS && j0 + j < n; j++)
            m = fmaxf(m, dot(mine, tile[here][j]));
        __syncthreads();
    }
    best[t] = m;
}
