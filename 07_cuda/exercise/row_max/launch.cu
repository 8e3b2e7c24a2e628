/*
 * Launches the exercise's kernel.
 */
#include "row_max.h"

#include "07_cuda/exercise/on_device.cuh"

__global__ void row_max(const float *scores, float *largest, int n);

int row_maxima(const float *scores, float *largest, size_t rows, size_t n)
{
    return on_device(scores, rows * n, largest, rows,
                     [=](const float *from, float *to) {
                         row_max<<<rows, ROW_MAX_THREADS>>>(from, to, (int)n);
                     });
}
