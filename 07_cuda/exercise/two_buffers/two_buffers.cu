/* Exercise 07: two_buffers.h has the task. Run the tests first. */
#include <cuda_runtime.h>

#include "07_cuda/ptx/ptx.h"

#include "two_buffers.h"

static __device__ float dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/* TODO: use a second buffer. */
__global__ void best_key(const float *q, const float *K, float *best, int n)
{
    __shared__ float4 tile[KEYS];
    int t = threadIdx.x;
    float4 mine = *(const float4 *)&q[D * t];
    float m = -INFINITY;

    for (int j0 = 0; j0 < n; j0 += KEYS) {
        if (j0 + t < n)
            cp_async_16(&tile[t], &K[D * (j0 + t)]);
        cp_async_commit();
        cp_async_wait<0>();
        __syncthreads();
        for (int j = 0; j < KEYS && j0 + j < n; j++)
            m = fmaxf(m, dot(mine, tile[j]));
        __syncthreads();
    }
    best[t] = m;
}
