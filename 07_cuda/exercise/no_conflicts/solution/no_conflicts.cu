/*
 * A row has 33 floats, so the same column of the next row is in the next bank,
 * and the 32 floats of a column are in 32 banks. The 33rd float is not used.
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
