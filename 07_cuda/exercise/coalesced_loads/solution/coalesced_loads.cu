/*
 * A warp computes the scores of its 32 keys one after another. Lane c
 * multiplies column c, so the lanes load neighbouring numbers. Shuffles add the
 * 32 products. Lane t keeps the score of key t, and at the end all 32 scores
 * are stored at once.
 */
#include <cuda_runtime.h>

#include "coalesced_loads.h"

__global__ void row_of_scores(const float *q, const float *K, float *s)
{
    int lane = threadIdx.x % 32;
    int j0 = blockIdx.x * KEYS + threadIdx.x - lane;
    float mine = q[lane], kept = 0;

    for (int j = 0; j < 32; j++) {
        float sum = mine * K[(j0 + j) * D + lane];

        for (int other = 1; other < 32; other *= 2)
            sum += __shfl_xor_sync(~0u, sum, other);
        if (lane == j)
            kept = sum;
    }
    s[j0 + lane] = kept;
}
