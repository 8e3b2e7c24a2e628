/* Exercise 07: float4_rows.h has the task. Run the tests first. */
#include <cuda_runtime.h>

#include "float4_rows.h"

/* TODO: load float4s. */
__global__ void slice_sums(const float *X, float *sum, int ld, int first, int n)
{
    const float *row = X + threadIdx.x * ld;
    float s = 0;

    for (int c = first; c < first + n; c++)
        s += row[c];
    sum[threadIdx.x] = s;
}
