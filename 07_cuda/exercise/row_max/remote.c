/*
 * row_maxima, asked of a worker (remote_cuda.h).
 * the skeleton holds: the_first_score_may_be_the_largest
 */
#include "row_max.h"

#include "07_cuda/exercise/remote_cuda.h"

#ifdef JUDGE
int row_maxima(const float *scores, float *largest, size_t rows, size_t n)
{
    size_t sizes[] = {rows, n};

    return ask_kernel(scores, rows * n, largest, rows, sizes, sizeof sizes);
}
#else
void serve(void)
{
    size_t sizes[2];

    heard_kernel(sizes, sizeof sizes);
    say_kernel(row_maxima(call.in, call.out, sizes[0], sizes[1]));
}
#endif
