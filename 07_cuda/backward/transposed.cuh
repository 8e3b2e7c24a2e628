/*
 * dS by keys, and read by queries: what backward rung 3 writes and fetches on
 * its way to dQ = dS K. The tile has keys as rows, Br queries each.
 */
#pragma once
#include "07_cuda/tile/swizzle.cuh"

/* 16 keys by 16 queries of dS^T, from a warp's registers: rows key and key + 8,
 * two chunks from the first. */
template <int Br, class T>
static __device__ void store_transposed(T *dS, int key, int chunk, int t,
                                        const unsigned *z)
{
    for (int r = 0; r < 4; r++)
        *(unsigned *)&dS[swizzled<Br>(key + r % 2 * 8, chunk + r / 2) + 2 * t] =
            z[r];
}

/* A for dS K: 16 queries by 16 keys of dS^T, whose rows are keys. */
template <int Br, class T>
static __device__ void load_transposed(unsigned *a, const T *dS, int key,
                                       int query)
{
    int lane = threadIdx.x % 32, i = lane / 8; /* of four 8 x 8 matrices */

    ldmatrix_x4_trans(
        a, &dS[swizzled<Br>(key + lane % 8 + i / 2 * 8, query / 8 + i % 2)]);
}
