/*
 * In add_all several blocks have parts of a row, so each block adds its part by
 * an atomic. In add_owned one thread has the whole row and needs no atomic.
 */
#include <cuda_runtime.h>

#include "owned_rows.h"

__global__ void add_all(const float *x, float *row, float *column, int n, int m)
{
    __shared__ float part[THREADS];
    int j = blockIdx.x * THREADS + threadIdx.x;
    float mine = 0;

    for (int i = 0; i < n; i++) {
        float here = j < m ? x[(size_t)i * m + j] : 0;

        mine += here;
        part[threadIdx.x] = here;
        __syncthreads();
        if (threadIdx.x == 0) {
            float sum = 0;

            for (int t = 0; t < THREADS; t++)
                sum += part[t];
            atomicAdd(&row[i], sum);
        }
        __syncthreads();
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
