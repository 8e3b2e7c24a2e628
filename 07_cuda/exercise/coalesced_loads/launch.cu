/*
 * Launches the exercise's kernel, on one array of q and then K.
 */
#include <string.h>

#include "coalesced_loads.h"

#include "07_cuda/exercise/on_device.cuh"

__global__ void row_of_scores(const float *q, const float *K, float *s);

int scores_on_device(const float *q, const float *K, float *s, size_t n)
{
    static float in[D + 1024 * D];

    if (n > 1024)
        return cudaErrorInvalidValue;
    memcpy(in, q, D * sizeof *q);
    memcpy(in + D, K, n * D * sizeof *K);
    return on_device(in, D + n * D, s, n, [=](const float *from, float *to) {
        row_of_scores<<<n / KEYS, KEYS>>>(from, from + D, to);
    });
}
