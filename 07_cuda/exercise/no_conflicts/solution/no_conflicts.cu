/*
 * A row of 33 floats: the same column of the next row lies a bank further, so
 * that the 32 floats of a column have 32 banks. The 33rd is never used.
 */
#include <cuda_runtime.h>

#include "no_conflicts.h"

__global__ void transposed(const float *A, float *B, int n)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = threadIdx.x, i0 = blockIdx.y * SIDE, j0 = blockIdx.x * SIDE;

    for (int y = threadIdx.y; y < SIDE; y += ROWS)
        tile[y][x] = A[(i0 + y) * n + j0 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE; y += ROWS)
        B[(j0 + y) * n + i0 + x] = tile[x][y];
}
