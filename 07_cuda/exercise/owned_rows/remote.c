/*
 * sums_by_columns and sums_by_rows, asked of a worker (remote_cuda.h).
 * counted inside the worker: a_block_adds_once_to_a_row
 * counted inside the worker: an_owner_needs_no_atomic
 */
#include "owned_rows.h"

#include "07_cuda/exercise/remote_cuda.h"

#ifdef JUDGE
int sums_by_columns(const float *x, float *sums, size_t n, size_t m)
{
    size_t sizes[] = {n, m, 0};

    return ask_kernel(x, n * m, sums, n + m, sizes, sizeof sizes);
}

int sums_by_rows(const float *x, float *sums, size_t n, size_t m)
{
    size_t sizes[] = {n, m, 1};

    return ask_kernel(x, n * m, sums, n, sizes, sizeof sizes);
}
#else
void serve(void)
{
    size_t sizes[3];

    heard_kernel(sizes, sizeof sizes);
    if (call.n != sizes[0] * sizes[1] ||
        call.m != sizes[0] + (sizes[2] ? 0 : sizes[1]))
        exit(1);
    say_kernel((sizes[2] ? sums_by_rows : sums_by_columns)(call.in, call.out,
                                                           sizes[0], sizes[1]));
}
#endif
