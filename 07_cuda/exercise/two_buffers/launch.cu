/* Launches the exercise's kernel. */
#include "two_buffers.h"

#include "07_cuda/exercise/on_device.cuh"

int best_of_keys(const float *q, const float *K, float *best, size_t n)
{
    return on_device(
        [=](float *q, float *K, float *best) {
            best_key<<<1, QUERIES>>>(q, K, best, (int)n);
        },
        from_host("q", q, QUERIES * D), from_host("K", K, n * D),
        to_host("best", best, QUERIES));
}
