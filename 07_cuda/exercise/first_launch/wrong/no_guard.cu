/* wrong: threads beyond the last number write, too */
/* message: out of bounds */
#include <cuda_runtime.h>

#include "first_launch.h"

__global__ static void scaled(const float *x, float *y, int n, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    y[i] = a * x[i];
}

void launch_scaled(const float *x, float *y, int n, float a)
{
    int blocks = (n + FIRST_LAUNCH_THREADS - 1) / FIRST_LAUNCH_THREADS;

    if (blocks > 0)
        scaled<<<blocks, FIRST_LAUNCH_THREADS>>>(x, y, n, a);
}
