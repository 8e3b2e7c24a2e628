/*
 * scores_on_device, asked of a worker (remote_cuda.h). It is right
 * to begin with, and how fast it is only the worker can count:
 * points: 0
 * counted inside the worker: every_number_is_loaded_once
 * counted inside the worker: every_sector_crosses_once
 */
#include "coalesced_loads.h"

#include "07_cuda/exercise/remote_cuda.h"

#ifdef JUDGE
int scores_on_device(const float *q, const float *K, float *s, size_t n)
{
    return ask_kernel(K, n * D, s, n, q, D * sizeof *q);
}
#else
void serve(void)
{
    float q[D];

    heard_kernel(q, sizeof q);
    say_kernel(scores_on_device(q, call.in, call.out, call.m));
}
#endif
