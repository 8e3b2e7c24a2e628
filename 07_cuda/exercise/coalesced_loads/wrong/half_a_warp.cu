/* wrong: the shuffles stop at half a warp */
/* message: key 0 */
#include <cuda_runtime.h>

#include "coalesced_loads.h"

__global__ void row_of_scores(const float *q, const float *K, float *s)
{
    int lane = threadIdx.x % 32;
    int j0 = blockIdx.x * KEYS + threadIdx.x - lane;
    float mine = q[lane], kept = 0;

    for (int j = 0; j < 32; j++) {
        float sum = mine * K[(j0 + j) * D + lane];

        for (int other = 1; other < 16; other *= 2)
            sum += __shfl_xor_sync(~0u, sum, other);
        if (lane == j)
            kept = sum;
    }
    s[j0 + lane] = kept;
}
