/*
 * attention_on_device, asked of a worker (remote_cuda.h).
 * points: 30
 * counted inside the worker: a_key_comes_once_for_each_block
 * counted inside the worker: two_barriers_per_tile_are_enough
 */
#include "write_kernel.h"

#include "07_cuda/exercise/remote_cuda.h"

#ifdef JUDGE
int attention_on_device(const float *Q_K_V, float *O, size_t n)
{
    return ask_kernel(Q_K_V, 3 * n * D, O, n * D, &n, sizeof n);
}
#else
void serve(void)
{
    size_t n;

    heard_kernel(&n, sizeof n);
    say_kernel(attention_on_device(call.in, call.out, n));
}
#endif
