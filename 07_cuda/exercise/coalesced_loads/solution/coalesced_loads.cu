/*
 * A warp takes its 32 keys one after another: lane c has column c, so that the
 * lanes' numbers lie side by side, and shuffles add up their products. Lane t
 * keeps the score of key t, and in the end all 32 are stored at once.
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
