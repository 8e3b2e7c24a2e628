/*
 * Block b computes blockDim.x numbers, from number b * blockDim.x on. The last
 * block may have more threads than numbers. The additional threads do nothing.
 */
#include <cuda_runtime.h>

#include "first_launch.h"

__global__ static void scaled(const float *x, float *y, int n, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i];
}

void launch_scaled(const float *x, float *y, int n, float a)
{
    int blocks = (n + FIRST_LAUNCH_THREADS - 1) / FIRST_LAUNCH_THREADS;

    if (blocks > 0)
        scaled<<<blocks, FIRST_LAUNCH_THREADS>>>(x, y, n, a);
}
