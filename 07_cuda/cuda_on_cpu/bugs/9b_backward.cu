/* 9b_backward.cu: mistakes of the way back: in who adds to which gradient, and
 * in what is added. All have one toy: four queries and four keys of one column,
 * every weight 1/4, V and K are 0, 1, 2, 3, and dO is 1. Then dP of key j is j,
 * D is 3/2, dS is (j - 3/2) / 4, dQ is 5/4 and dV is 1. The
 * array a is dQ. Page: docs/07_backward.md. */
#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

static const int N = 4;

static __device__ float dS_of(int j)
{
    return (j - 1.5f) / 4;
}

/* --- Who adds ------------------------------------------------------------- */

/* [cleared_by_one_of_them] race
 * One block sets dQ to 0 before it adds. Others have added by then, or not. */
KERNEL(N, N)
{
    int j = blockIdx.x;
    if (j == N - 1)
        a[t] = 0; // <- here
    atomicAdd(&a[t], dS_of(j) * j);
}

/* [never_cleared] uninitialised
 * What is added to must begin with 0. Memory that is new begins with
 * anything. */
__global__ void never_cleared(float *dQ)
{
    atomicAdd(&dQ[threadIdx.x], dS_of(blockIdx.x) * blockIdx.x); // <- here
}
BUG(never_cleared<<<N, N>>>(new_array(N)));

/* [rounded_too_early] race
 * A block adds what it has to dQ and rounds the sum. Others still add to it:
 * rounding needs a kernel of its own. */
KERNEL(N, N)
{
    int j = blockIdx.x;
    atomicAdd(&a[t], dS_of(j) * j); // <- here
    if (j == 0)
        b[t] = a[t];
}

/* --- What is added -------------------------------------------------------- */

/* dQ of query 0, by one thread, with dS and the key that it is multiplied by. */
template <class Term> static __device__ void sum_of(float *dQ, Term term)
{
    float sum = 0;
    for (int j = 0; j < N; j++)
        sum += term(j);
    *dQ = sum;
}

/* [without_D] wrong numbers: b[0] should be 1.25
 * dS is P dP: how good a key is, and not how much better than the mean. */
KERNEL(1, 1)
{
    sum_of(b, [](int j) { return j / 4.0f * j; }); // <- here
}

/* [dQ_twice] wrong numbers: b[0] should be 1.25
 * Two warps share a row, half of the columns each; both add to all of them. */
KERNEL(1, 64)
{
    if (t % 32 == 0)
        for (int j = 0; j < N; j++)
            atomicAdd(b, dS_of(j) * j); // <- here
}

/* [beyond_the_diagonal] wrong numbers: b[0] should be 1
 * With a causal limit query 1 sees two keys, of weight 1/2. L is theirs, but
 * e^{s - L} of a key that is not seen is no 0: it must be made one. */
KERNEL(1, 1)
{
    sum_of(b, [](int) { return 0.5f; }); // <- here
}

/* [rows_that_are_not_there] wrong numbers: b[0] should be 0.5
 * A ragged tile of two queries is filled up with zeros, L too: e^{0 - 0} is
 * the weight 1, of a query that does not exist. */
KERNEL(1, 1)
{
    const float L[N] = {1.38629436f, 1.38629436f, 0, 0}, dO = 1;
    sum_of(b, [&](int i) { return L[i] > 0 ? dO / 4 : dO; }); // <- here
}
