/* Helpers of all rungs. */
#pragma once
#include <cuda_runtime.h>

#include "07_cuda/rung.h"

/* The first rows of one head in each array of rung_problem. T is the type of
 * one load: float, float4, unsigned (two bf16) or a type of 16 bits. */
template <class T> struct one_head {
    const T *Q, *K, *V;
    T *O;
    float *L, *m, *l;
};

template <class T>
static inline __device__ one_head<T> head_of(const rung_problem &p, int head)
{
    size_t q = (size_t)head * p.Nq, k = (size_t)(head / p.group) * p.Nk;
    size_t D = p.D * (p.type == FP32 ? sizeof(float) : 2) / sizeof(T);

    return {(const T *)p.Q + q * D,
            (const T *)p.K + k * D,
            (const T *)p.V + k * D,
            (T *)p.O + q * D,
            p.L + q,
            p.m + q,
            p.l + q};
}

/* Returns the number of keys, from key 0 on, that query i may see. */
static inline __host__ __device__ int keys_seen(const rung_problem &p, int i)
{
    return max(0, min(p.Nk, i + p.offset + 1));
}

/* Returns e^{x - m}. If m is -inf (no key seen yet), every x is -inf too, and
 * the result is 0 instead of e^{-inf + inf} = NaN. */
static inline __device__ float exp_minus(float x, float m)
{
    return __expf(x - (m == -INFINITY ? 0 : m));
}

/* Returns 1 / l, or 0 if l is 0, so that O of a row without keys is 0. */
static inline __device__ float inverse(float l)
{
    return l == 0 ? 0 : 1 / l;
}

/* Return the maximum and the sum of x over n lanes, in every one of them. */
template <int n> static inline __device__ float max_of_lanes(float x)
{
    for (int other = 1; other < n; other *= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, other));
    return x;
}

template <int n> static inline __device__ float sum_of_lanes(float x)
{
    for (int other = 1; other < n; other *= 2)
        x += __shfl_xor_sync(~0u, x, other);
    return x;
}

static inline __device__ float dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline __device__ void axpy(float4 &y, float a, float4 x)
{
    y.x += a * x.x;
    y.y += a * x.y;
    y.z += a * x.z;
    y.w += a * x.w;
}

static inline __device__ void rescale(float4 &y, float a)
{
    y.x *= a;
    y.y *= a;
    y.z *= a;
    y.w *= a;
}
