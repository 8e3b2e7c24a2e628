/*
 * transpose_on_device, asked of a worker (remote_cuda.h). It is
 * right to begin with, and how fast it is only the worker can count:
 * points: 0
 * counted inside the worker: no_two_lanes_share_a_bank
 * counted inside the worker: rows_are_walked_on_both_sides
 */
#include "no_conflicts.h"

#include "07_cuda/exercise/remote_cuda.h"

#ifdef JUDGE
int transpose_on_device(const float *A, float *B, size_t n)
{
    return ask_kernel(A, n * n, B, n * n, &n, sizeof n);
}
#else
void serve(void)
{
    size_t n;

    heard_kernel(&n, sizeof n);
    say_kernel(transpose_on_device(call.in, call.out, n));
}
#endif
