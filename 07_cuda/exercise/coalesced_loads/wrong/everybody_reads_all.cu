/* wrong: each lane reads the whole of every key */
/* message: K is loaded more than once */
#include <cuda_runtime.h>

#include "coalesced_loads.h"

__global__ void row_of_scores(const float *q, const float *K, float *s)
{
    int lane = threadIdx.x % 32;
    int j0 = blockIdx.x * KEYS + threadIdx.x - lane;
    float kept = 0;

    for (int j = 0; j < 32; j++) {
        float sum = 0;

        for (int c = 0; c < D; c++)
            sum += q[c] * K[(j0 + j) * D + c];
        if (lane == j)
            kept = sum;
    }
    s[j0 + lane] = kept;
}
