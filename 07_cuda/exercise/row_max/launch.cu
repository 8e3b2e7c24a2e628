/* Launches the exercise's kernel. */
#include "row_max.h"

#include "07_cuda/exercise/on_device.cuh"

int row_maxima(const float *scores, float *largest, size_t rows, size_t n)
{
    return on_device(
        [=](float *scores, float *largest) {
            row_max<<<rows, ROW_MAX_THREADS>>>(scores, largest, (int)n);
        },
        from_host("scores", scores, rows * n),
        to_host("largest", largest, rows));
}
