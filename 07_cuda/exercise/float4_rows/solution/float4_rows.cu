/*
 * A thread loads single floats up to the next multiple of 4, then float4s, then
 * the floats that remain. All rows begin at a multiple of 16 bytes, so column c
 * does if c is a multiple of 4.
 */
#include <cuda_runtime.h>

#include "float4_rows.h"

__global__ void slice_sums(const float *X, float *sum, int ld, int first, int n)
{
    const float *row = X + threadIdx.x * ld;
    int c = first, end = first + n;
    float s = 0;

    for (; c < end && c % 4 != 0; c++)
        s += row[c];
    for (; c + 4 <= end; c += 4) {
        float4 x = *(const float4 *)&row[c];

        s += x.x + x.y + x.z + x.w;
    }
    for (; c < end; c++)
        s += row[c];
    sum[threadIdx.x] = s;
}
