/* wrong: the columns of q are counted from 1 */
/* message: reads 4 bytes at q + 128; it has 128 bytes */
#include <cuda_runtime.h>

#include "coalesced_loads.h"

__global__ void row_of_scores(const float *q, const float *K, float *s)
{
    int lane = threadIdx.x % 32;
    int j0 = blockIdx.x * KEYS + threadIdx.x - lane;
    float mine = q[lane + 1], kept = 0;

    for (int j = 0; j < 32; j++) {
        float sum = mine * K[(j0 + j) * D + lane];

        for (int other = 1; other < 32; other *= 2)
            sum += __shfl_xor_sync(~0u, sum, other);
        if (lane == j)
            kept = sum;
    }
    s[j0 + lane] = kept;
}
