/* Exercise 07: row_max.h says what is asked for. */
#include <cuda_runtime.h>

#include "row_max.h"

__global__ void row_max(const float *scores, float *largest, int n)
{
    /* TODO: thread 0 works alone, and looks at one score. */
    if (threadIdx.x == 0)
        largest[blockIdx.x] = n > 0 ? scores[blockIdx.x * n] : -INFINITY;
}
