/* Launches the exercise's kernel. */
#include "coalesced_loads.h"

#include "07_cuda/exercise/on_device.cuh"

int scores_on_device(const float *q, const float *K, float *s, size_t n)
{
    return on_device(
        [=](float *q, float *K, float *s) {
            row_of_scores<<<n / KEYS, KEYS>>>(q, K, s);
        },
        from_host("q", q, D), from_host("K", K, n * D), to_host("s", s, n));
}
