/* wrong: a block for each number, of one thread */
/* message: want 1 blocks of 128 threads, got 1 of 1 */
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
    int blocks = n;

    if (blocks > 0)
        scaled<<<blocks, 1>>>(x, y, n, a);
}
