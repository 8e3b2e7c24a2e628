/*
 * Tiles of 16-bit elements on the tensor cores, by mma.sync.
 *
 * A warp multiplies a 16 x 16 by a 16 x 8 matrix. ptx.h shows which lane has
 * which element. With g = lane / 4 and t = lane % 4, a lane has columns 2t and
 * 2t + 1 of rows g and g + 8 of each 16 x 8 tile of S or O. The four lanes with
 * the same g share these two rows.
 */
#pragma once
#include "07_cuda/tile/head.cuh"
#include "07_cuda/ptx/ptx.h"

typedef __nv_bfloat16 bf16;
typedef __half fp16;

/* c += a b. The first argument only selects the element type of a and b. */
static inline __device__ void mma(bf16, float *c, const unsigned *a,
                                  const unsigned *b)
{
    mma_m16n8k16_bf16(c, a, b);
}
static inline __device__ void mma(fp16, float *c, const unsigned *a,
                                  const unsigned *b)
{
    mma_m16n8k16_f16(c, a, b);
}

/* Rounds two floats to 16 bits and packs them. lo becomes the lower half. */
static inline __device__ unsigned pack(bf16, float lo, float hi)
{
    return pack_bf16x2(lo, hi);
}
static inline __device__ unsigned pack(fp16, float lo, float hi)
{
    return pack_f16x2(lo, hi);
}

template <class T> static inline __device__ unsigned pair(const T *row)
{
    return *(const unsigned *)row;
}

template <class T>
static inline __device__ unsigned pair(const T *upper, const T *lower)
{
    return *(const uint16_t *)upper | (unsigned)*(const uint16_t *)lower << 16;
}

/* ANCHOR: weights */
/* Rounds the weights of 16 queries and 16 keys to operand A of mma.sync. left
 * and right are this lane's weights for 8 keys each. They are the elements of A
 * that this lane must have, so no data moves between lanes. */
template <class T>
static inline __device__ void weights_of(T type, unsigned *p, const float *left,
                                         const float *right)
{
    p[0] = pack(type, left[0], left[1]);
    p[1] = pack(type, left[2], left[3]);
    p[2] = pack(type, right[0], right[1]);
    p[3] = pack(type, right[2], right[3]);
}
/* ANCHOR_END: weights */

/* Copies n rows of D elements. Rows from `here` on become 0. */
template <class T, int D>
static inline __device__ void copy_rows(T *to, const T *from, int n, int here,
                                        int threads)
{
    for (int e = threadIdx.x; e < n * D / 8; e += threads)
        ((uint4 *)to)[e] =
            e / (D / 8) < here ? ((const uint4 *)from)[e] : uint4();
}

/* Stores O = o / l and L = m + ln l of this lane's rows i and i + 8. */
template <class T, int D>
static inline __device__ void
store_rows(const rung_problem &p, const one_head<T> &h, int i,
           const float (*o)[4], const float *m, const float *l)
{
    int t = threadIdx.x % 4;

    for (int r = 0; r < 2; r++) {
        T *row = h.O + (size_t)(i + 8 * r) * D;

        if (i + 8 * r >= p.Nq)
            continue;
        for (int n = 0; n < D / 8; n++)
            *(unsigned *)&row[8 * n + 2 * t] =
                pack(T(), o[n][2 * r] * inverse(l[r]),
                     o[n][2 * r + 1] * inverse(l[r]));
        if (t == 0)
            h.L[i + 8 * r] = m[r] + logf(l[r]);
    }
}
