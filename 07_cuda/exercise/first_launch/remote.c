/*
 * scale_on_device, asked of a worker (remote_cuda.h).
 * counted inside the worker: the_grid_is_no_larger_than_it_must_be
 */
#include "first_launch.h"

#include "07_cuda/exercise/remote_cuda.h"

#ifdef JUDGE
int scale_on_device(const float *x, float *y, size_t n, float a)
{
    return ask_kernel(x, n, y, n, &a, sizeof a);
}
#else
void serve(void)
{
    float a;

    heard_kernel(&a, sizeof a);
    say_kernel(scale_on_device(call.in, call.out, call.n, a));
}
#endif
