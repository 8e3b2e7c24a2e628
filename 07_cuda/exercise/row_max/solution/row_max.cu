/*
 * Shuffles find the maximum of each warp. Thread 0 finds the largest of these.
 */
#include <cuda_runtime.h>

#include "row_max.h"

__global__ void row_max(const float *scores, float *largest, int n)
{
    __shared__ float of_warp[ROW_MAX_THREADS / 32];
    const float *row = scores + (size_t)blockIdx.x * n;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float m = -INFINITY;

    for (int j = threadIdx.x; j < n; j += ROW_MAX_THREADS)
        m = fmaxf(m, row[j]);
    for (int other = 1; other < 32; other *= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, other));
    if (lane == 0)
        of_warp[warp] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 0; w < ROW_MAX_THREADS / 32; w++)
            m = fmaxf(m, of_warp[w]);
        largest[blockIdx.x] = m;
    }
}
