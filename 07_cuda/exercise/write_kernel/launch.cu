/*
 * Launches the exercise's kernel, on one array of Q, K and V.
 */
#include "write_kernel.h"

#include "07_cuda/exercise/on_device.cuh"

__global__ void attention(const float *Q, const float *K, const float *V,
                          float *O, int n);

int attention_on_device(const float *Q_K_V, float *O, size_t n)
{
    unsigned blocks = (unsigned)((n + QUERIES - 1) / QUERIES);

    return on_device(Q_K_V, 3 * n * D, O, n * D,
                     [=](const float *Q, float *to) {
                         attention<<<blocks, QUERIES>>>(
                             Q, Q + n * D, Q + 2 * n * D, to, (int)n);
                     });
}
