/* Launches the exercise's kernel. */
#include "missing_barrier.h"

#include "07_cuda/exercise/on_device.cuh"

int best_scores(const float *q, const float *k, float *best, size_t n)
{
    return on_device(
        [=](float *q, float *k, float *best) {
            best_score<<<1, QUERIES>>>(q, k, best, (int)n);
        },
        from_host("q", q, QUERIES), from_host("k", k, n),
        to_host("best", best, QUERIES));
}
