/* wrong: every thread adds its own number by an atomic */
/* message: one atomic for each block and row */
#include <cuda_runtime.h>

#include "owned_rows.h"

__global__ void add_all(const float *x, float *row, float *column, int n, int m)
{
    int j = blockIdx.x * THREADS + threadIdx.x;
    float mine = 0;

    for (int i = 0; i < n; i++) {
        float here = j < m ? x[(size_t)i * m + j] : 0;

        mine += here;
        atomicAdd(&row[i], here);
    }
    if (j < m)
        column[j] = mine;
}

__global__ void add_owned(const float *x, float *row, int n, int m)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int j = 0; j < m; j++)
        sum += x[(size_t)i * m + j];
    row[i] = sum;
}
