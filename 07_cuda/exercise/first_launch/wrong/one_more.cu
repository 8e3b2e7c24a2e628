/* wrong: a block more than needed where 128 divides n */
/* message: 128 numbers: want 1 blocks of 128 threads, got 2 of 128 */
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
    int blocks = n / FIRST_LAUNCH_THREADS + (n > 0);

    if (blocks > 0)
        scaled<<<blocks, FIRST_LAUNCH_THREADS>>>(x, y, n, a);
}
