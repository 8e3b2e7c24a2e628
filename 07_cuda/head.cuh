/*
 * What the blocks of a rung need to find their head and its limits.
 */
#pragma once
#include <cuda_runtime.h>

#include "rung.h"

/* One head of a problem: T is float, __nv_bfloat16 or __half. */
template <class T> struct one_head {
    const T *Q, *K, *V;
    T *O;
    float *L, *m, *l;
};

template <class T>
static __device__ one_head<T> head_of(const rung_problem &p, int head)
{
    size_t q = (size_t)head * p.Nq, k = (size_t)(head / p.group) * p.Nk;

    return {(const T *)p.Q + q * p.D,
            (const T *)p.K + k * p.D,
            (const T *)p.V + k * p.D,
            (T *)p.O + q * p.D,
            p.L + q,
            p.m + q,
            p.l + q};
}

/* How many keys, from key 0, query i may see. */
static __device__ int keys_seen(const rung_problem &p, int i)
{
    return max(0, min(p.Nk, i + p.offset + 1));
}

/* e^{x - m}; for m = -inf, a row that has seen nothing, every x is -inf too,
 * and the weight is 0, not e^{-inf + inf} = NaN. A NaN in x stays one. */
static __device__ float exp_minus(float x, float m)
{
    return __expf(x - (m == -INFINITY ? 0 : m));
}

/* 1 / l, and 0 for l = 0: a row with nothing to attend to is 0, not 0/0. */
static __device__ float inverse(float l)
{
    return l == 0 ? 0 : 1 / l;
}
