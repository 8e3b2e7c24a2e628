/* Launches the exercise's kernel. */
#include "float4_rows.h"

#include "07_cuda/exercise/on_device.cuh"

int sums_on_device(const float *X, float *sum, size_t ld, size_t first,
                   size_t n)
{
    return on_device(
        [=](float *X, float *sum) {
            slice_sums<<<1, ROWS>>>(X, sum, (int)ld, (int)first, (int)n);
        },
        from_host("X", X, ROWS * ld), to_host("sum", sum, ROWS));
}
