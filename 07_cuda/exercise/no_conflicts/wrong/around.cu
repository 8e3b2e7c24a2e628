/* wrong: leaves shared memory alone, and B is walked down its columns */
/* message: around shared memory */
#include <cuda_runtime.h>

#include "no_conflicts.h"

__global__ void transposed(const float *A, float *B, int n)
{
    int x = threadIdx.x, i0 = blockIdx.y * SIDE, j0 = blockIdx.x * SIDE;

    for (int y = threadIdx.y; y < SIDE; y += ROWS)
        B[(j0 + x) * n + i0 + y] = A[(i0 + y) * n + j0 + x];
}
