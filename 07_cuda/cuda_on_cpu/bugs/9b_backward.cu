/* 9b_backward.cu: mistakes of the way back: in who adds to which gradient, and
 * in what is added. All have one toy: four queries and four keys of one column,
 * every weight 1/4, V and K are 0, 1, 2, 3, and dO is 1. Then dP of key j is j,
 * D is 3/2, dS is (j - 3/2) / 4, dQ is 5/4 and dV is 1. Page:
 * docs/07_backward.md. */
#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

static const int N = 4;

static __device__ float dS_of(int j)
{
    return (j - 1.5f) / 4;
}

/* --- Who adds ------------------------------------------------------------- */

/* [plain_add] race
 * A block has a key, and all blocks add to the same dQ: it takes an atomic. */
__global__ void plain_add(float *dQ)
{
    int i = threadIdx.x, j = blockIdx.x;
    dQ[i] += dS_of(j) * j; // <- here
}
BUG(plain_add<<<N, N>>>(bench.a));

/* [plain_add_of_warps] race
 * The same in shared memory: two warps with keys of their own add to one dQ. */
__global__ void plain_add_of_warps(float *out)
{
    __shared__ float dQ[N];
    int i = threadIdx.x % 32, j = threadIdx.x / 32;
    if (threadIdx.x < N)
        dQ[threadIdx.x] = 0;
    __syncthreads();
    if (i < N)
        dQ[i] += dS_of(j) * j; // <- here
    __syncthreads();
    if (threadIdx.x < N)
        out[threadIdx.x] = dQ[threadIdx.x];
}
BUG(plain_add_of_warps<<<1, 64>>>(bench.a));

/* [group_stores_by_itself] race
 * Two heads share K and V, each has a block, and both store "the" dV. */
__global__ void group_stores_by_itself(float *dV)
{
    dV[threadIdx.x] = 1.0f + blockIdx.x; // <- here
}
BUG(group_stores_by_itself<<<2, N>>>(bench.a));

/* [cleared_by_one_of_them] race
 * One block sets dQ to 0 before it adds. Others have added by then, or not. */
__global__ void cleared_by_one_of_them(float *dQ)
{
    int i = threadIdx.x, j = blockIdx.x;
    if (j == N - 1)
        dQ[i] = 0; // <- here
    atomicAdd(&dQ[i], dS_of(j) * j);
}
BUG(cleared_by_one_of_them<<<N, N>>>(bench.a));

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
__global__ void rounded_too_early(float *dQ, float *rounded)
{
    int i = threadIdx.x, j = blockIdx.x;
    atomicAdd(&dQ[i], dS_of(j) * j); // <- here
    if (j == 0)
        rounded[i] = dQ[i];
}
BUG(rounded_too_early<<<N, N>>>(bench.a, bench.b));

/* --- dS through shared memory --------------------------------------------- */

/* [dS_not_there_yet] race
 * A warp has a key and writes a row of dS^T; dQ wants a column, which the
 * other warps have written, or not yet. */
__global__ void dS_not_there_yet(float *dQ)
{
    __shared__ float dS[N][32];
    int j = threadIdx.x / 32, i = threadIdx.x % 32;
    float sum = 0;
    dS[j][i] = dS_of(j);
    for (int k = 0; k < N; k++)
        sum += dS[k][i] * k; // <- here
    if (j == 0)
        dQ[i] = sum;
}
BUG(dS_not_there_yet<<<1, 32 * N>>>(bench.a));

/* [dS_of_the_next_tile] race
 * dS is there; but a fast warp writes the next tile's while a slow one still
 * multiplies this one by K. */
__global__ void dS_of_the_next_tile(float *dQ)
{
    __shared__ float dS[N][32];
    int j = threadIdx.x / 32, i = threadIdx.x % 32;
    for (int tile = 0; tile < 2; tile++) {
        float sum = 0;
        dS[j][i] = dS_of(j); // <- here
        __syncthreads();
        for (int k = 0; k < N; k++)
            sum += dS[k][i] * k;
        if (j == 0)
            dQ[32 * tile + i] = sum;
    }
}
BUG(dS_of_the_next_tile<<<1, 32 * N>>>(bench.a));

/* --- What is added -------------------------------------------------------- */

/* dQ of query 0, by one thread, with dS and the key that it is multiplied by. */
template <class Term> static __device__ void sum_of(float *dQ, Term term)
{
    float sum = 0;
    for (int j = 0; j < N; j++)
        sum += term(j);
    *dQ = sum;
}

/* [without_D] wrong numbers
 * dS is P dP: how good a key is, and not how much better than the mean. */
__global__ void without_D(float *dQ)
{
    sum_of(dQ, [](int j) { return j / 4.0f * j; }); // <- here
}
BUG(without_D<<<1, 1>>>(bench.a), should_be(bench.a, 1.25f));

/* [D_of_the_key] wrong numbers
 * All is turned over, so D belongs to columns; it is taken by the row. */
__global__ void D_of_the_key(float *dQ)
{
    const float D[N] = {1.5f, 0, 0, 0}; /* of the queries: 0 is ours */
    sum_of(dQ, [&](int j) { return (j - D[j]) / 4 * j; }); // <- here
}
BUG(D_of_the_key<<<1, 1>>>(bench.a), should_be(bench.a, 1.25f));

/* [not_turned_back] wrong numbers
 * dQ = dS K wants a row of dS, and gets one of dS^T: one key's, all queries'. */
__global__ void not_turned_back(float *dQ)
{
    sum_of(dQ, [](int j) { return dS_of(0) * j; }); // <- here
}
BUG(not_turned_back<<<1, 1>>>(bench.a), should_be(bench.a, 1.25f));

/* [dQ_twice] wrong numbers
 * Two warps share a row, half of the columns each; both add to all of them. */
__global__ void dQ_twice(float *dQ)
{
    if (threadIdx.x % 32 == 0)
        for (int j = 0; j < N; j++)
            atomicAdd(dQ, dS_of(j) * j); // <- here
}
BUG(dQ_twice<<<1, 64>>>(bench.a), should_be(bench.a, 1.25f));

/* [beyond_the_diagonal] wrong numbers
 * With a causal limit query 1 sees two keys, of weight 1/2. L is theirs, but
 * e^{s - L} of a key that is not seen is no 0: it must be made one. */
__global__ void beyond_the_diagonal(float *dV)
{
    sum_of(dV, [](int) { return 0.5f; }); // <- here
}
BUG(beyond_the_diagonal<<<1, 1>>>(bench.a), should_be(bench.a, 1));

/* [rows_that_are_not_there] wrong numbers
 * A ragged tile of two queries is filled up with zeros, L too: e^{0 - 0} is
 * the weight 1, of a query that does not exist. */
__global__ void rows_that_are_not_there(float *dV)
{
    const float L[N] = {1.38629436f, 1.38629436f, 0, 0}, dO = 1;
    sum_of(dV, [&](int i) { return L[i] > 0 ? dO / 4 : dO; }); // <- here
}
BUG(rows_that_are_not_there<<<1, 1>>>(bench.a), should_be(bench.a, 0.5f));

/* [last_head_wins] wrong numbers
 * Four heads share K and V. Each one's dV takes the place of the one before,
 * in place of being added to it. */
__global__ void last_head_wins(float *dV)
{
    for (int head = 0; head < 4; head++)
        *dV = 1; // <- here
}
BUG(last_head_wins<<<1, 1>>>(bench.a), should_be(bench.a, 4));
