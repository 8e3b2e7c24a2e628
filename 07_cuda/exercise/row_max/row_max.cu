/* Exercise 07: row_max.h has the task. */
#include <cuda_runtime.h>

#include "row_max.h"

__global__ void row_max(const float *scores, float *largest, int n)
{
    /* TODO: only thread 0 works, and it reads only one score. */
    if (threadIdx.x == 0)
        largest[blockIdx.x] = n > 0 ? scores[blockIdx.x * n] : -INFINITY;
}
