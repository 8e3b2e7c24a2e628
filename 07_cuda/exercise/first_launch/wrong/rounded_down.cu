/* wrong: the blocks are rounded down: the rest has none */
/* message: 200 numbers: one block of 128 is too few */
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
    int blocks = n <= FIRST_LAUNCH_THREADS ? n > 0 : n / FIRST_LAUNCH_THREADS;

    if (blocks > 0)
        scaled<<<blocks, FIRST_LAUNCH_THREADS>>>(x, y, n, a);
}
