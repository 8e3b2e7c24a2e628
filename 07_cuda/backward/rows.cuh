/* Shared code of the backward rungs. */
#pragma once
#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/tile/head.cuh"

#include <cuda_bf16.h>

template <class T> struct query_head {
    const T *Q, *dO;
    T *dQ;
    const float *L, *D;
    float *dQ_sum;
};

template <class T> struct key_head {
    const T *K, *V;
    T *dK, *dV;
};

template <class T>
static inline __device__ query_head<T> queries_of(const gradient_problem &p,
                                                  int head)
{
    const rung_problem &f = p.forward;
    size_t row = (size_t)head * f.Nq, at = row * f.D;

    return {(const T *)f.Q + at, (const T *)p.dO + at,
            (T *)p.dQ + at,      f.L + row,
            p.D + row,           p.dQ_sum + at};
}

template <class T>
static inline __device__ key_head<T> keys_of(const gradient_problem &p,
                                             int head)
{
    const rung_problem &f = p.forward;
    size_t at = (size_t)head * f.Nk * f.D;

    return {(const T *)f.K + at, (const T *)f.V + at, (T *)p.dK + at,
            (T *)p.dV + at};
}

/* Returns the first query of the first tile of Br queries that sees key j, or
 * Nq if no query sees it. All later tiles see the key, too. */
static inline __host__ __device__ int first_tile(const rung_problem &f, int j,
                                                 int Br)
{
    int i = max(0, j - f.offset);

    return i < f.Nq ? i / Br * Br : f.Nq;
}

/* Returns e^{s - L}, the normalised weight. The query must see the key, so that
 * L is not -inf. */
static inline __device__ float weight(float s, float L)
{
    return __expf(s - L);
}

/* Returns the dot product of two rows to the Split threads that share the row
 * a. Element c of a thread's a is column c Split + part. b is a whole row. */
template <int Own, int Split>
static inline __device__ float dot_of_row(const float (&a)[Own], const float *b,
                                          int part)
{
    float sum = 0;

#pragma unroll
    for (int c = 0; c < Own; c++)
        sum += a[c] * b[c * Split + part];
    return sum_of_lanes<Split>(sum);
}

/* Returns the dot product of 16 bytes. The last argument selects the type. */
static inline __device__ float dot_of(float4 a, float4 b, float)
{
    return dot(a, b);
}

static inline __device__ float dot_of(float4 a, float4 b, __nv_bfloat16)
{
    const __nv_bfloat16 *x = (const __nv_bfloat16 *)&a;
    const __nv_bfloat16 *y = (const __nv_bfloat16 *)&b;
    float sum = 0;

#pragma unroll
    for (int c = 0; c < 8; c++)
        sum += __bfloat162float(x[c]) * __bfloat162float(y[c]);
    return sum;
}

/* Computes D_i = dO_i . O_i. `Lanes` lanes share a row, 16 bytes each. */
template <class T, int columns>
static __global__ void flash2_backward_rows_of_D(gradient_problem p)
{
    const int Lanes = columns * (int)sizeof(T) / 16;
    size_t rows = (size_t)p.forward.heads * p.forward.Nq;
    size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x, row = e / Lanes;
    float sum = 0;

    if (row < rows)
        sum = dot_of(((const float4 *)p.dO)[e],
                     ((const float4 *)p.forward.O)[e], T());
    sum = sum_of_lanes<Lanes>(sum);
    if (row < rows && e % Lanes == 0)
        p.D[row] = sum;
}

template <class T, int columns>
static inline unsigned blocks_for_D(const rung_problem &f, int threads)
{
    size_t lanes = (size_t)f.heads * f.Nq * columns * sizeof(T) / 16;

    return (unsigned)((lanes + threads - 1) / threads);
}
