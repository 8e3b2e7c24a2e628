/*
 * Launches the exercise's kernel, on one array of queries and then keys.
 */
#include <string.h>

#include "missing_barrier.h"

#include "07_cuda/exercise/on_device.cuh"

__global__ void best_score(const float *q, const float *k, float *best, int n);

int best_scores(const float *q, const float *k, float *best, size_t n)
{
    float in[QUERIES + 1024];

    if (n > 1024)
        return cudaErrorInvalidValue;
    memcpy(in, q, QUERIES * sizeof *q);
    memcpy(in + QUERIES, k, n * sizeof *k);
    return on_device(
        in, QUERIES + n, best, QUERIES, [=](const float *from, float *to) {
            best_score<<<1, QUERIES>>>(from, from + QUERIES, to, (int)n);
        });
}
