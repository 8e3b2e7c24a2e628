/*
 * Stores and loads dS^T in shared memory, for dQ = dS K of backward rung 3. A
 * row of the tile is a key and has Br queries. ldmatrix transposes the tile
 * when it loads it.
 */
#pragma once
#include "07_cuda/tile/swizzle.cuh"

/* Stores 16 keys x 16 queries of dS^T from a warp's registers z. This thread
 * stores in rows key and key + 8, in chunks `chunk` and chunk + 1. t is lane %
 * 4. */
template <int Br, class T>
static __device__ void store_transposed(T *dS, int key, int chunk, int t,
                                        const unsigned *z)
{
    for (int r = 0; r < 4; r++)
        *(unsigned *)&dS[swizzled<Br>(key + r % 2 * 8, chunk + r / 2) + 2 * t] =
            z[r];
}

/* Loads operand A of dS K, transposed: 16 queries x 16 keys. */
template <int Br, class T>
static __device__ void load_transposed(unsigned *a, const T *dS, int key,
                                       int query)
{
    int lane = threadIdx.x % 32, i = lane / 8; /* matrix i of four, 8 x 8 */

    ldmatrix_x4_trans(
        a, &dS[swizzled<Br>(key + lane % 8 + i / 2 * 8, query / 8 + i % 2)]);
}
