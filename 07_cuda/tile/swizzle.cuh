/*
 * Tiles in shared memory without bank conflicts.
 *
 * Shared memory has 32 banks of 4 bytes, so 8 chunks of 16 bytes fill all banks
 * once. Rows of 128, 256 or 512 bytes all begin in bank 0. ldmatrix reads 8
 * chunks at a time: chunk c of 8 successive rows. Without a swizzle these 8
 * chunks are in the same 4 banks, and the read takes 8 wavefronts.
 *
 * In such rows chunk c of row r is stored at place c ^ (r % 8), so chunk c of 8
 * successive rows is at 8 different places. The tile has no padding. The chunks
 * at places 0 to 7 of each row:
 *
 *     row 0   0 1 2 3 4 5 6 7         row 4   4 5 6 7 0 1 2 3
 *     row 1   1 0 3 2 5 4 7 6         row 5   5 4 7 6 1 0 3 2
 *     row 2   2 3 0 1 6 7 4 5         row 6   6 7 4 5 2 3 0 1
 *     row 3   3 2 1 0 7 6 5 4         row 7   7 6 5 4 3 2 1 0
 *
 * docs/07_cuda.md
 */
#pragma once
#include "07_cuda/tile/mma.cuh"

/* ANCHOR: swizzle */
/* Returns the offset of chunk c of row r, in elements. A row has D elements. */
template <int D> static inline __device__ int swizzled(int r, int c)
{
    if (D == 32) /* two rows fill all banks once */
        return r * D + (c ^ r / 2 % 4) * 8;
    return r * D + c / 8 * 64 + (c % 8 ^ r % 8) * 8;
}
/* ANCHOR_END: swizzle */

/* ANCHOR: moved */
/* Returns the offset of chunk c + dc of row r + dr. `place` is the offset of
 * chunk c of row r, so a thread calls swizzled only once. In their last three
 * bits, r and dr must have no 1 in common, nor may c and dc. Then each sum
 * equals the XOR in these bits. At D = 32, dr must be a multiple of 8. */
template <int D> static inline __device__ int moved(int place, int dr, int dc)
{
    return dr * D + dc / 8 * 64 + (place ^ (dr ^ dc) % 8 * 8);
}
/* ANCHOR_END: moved */

/* load_q, load_k and load_v are one ldmatrix each. row and key are multiples of
 * 8, and c is even. load_q loads operand A of Q K^T: chunks 2k and 2k + 1 of 16
 * rows of Q from `row` on. */
template <int D, class T>
static inline __device__ void load_q(unsigned *a, const T *Q, int row, int k)
{
    int lane = threadIdx.x % 32, place = swizzled<D>(lane % 16, lane / 16);

    ldmatrix_x4(a, &Q[moved<D>(place, row, 2 * k)]);
}

/* Loads operand B of Q K^T: 8 keys from `key` on into b[0] and b[1], the next 8
 * into b[2] and b[3]. */
template <int D, class T>
static inline __device__ void load_k(unsigned *b, const T *K, int key, int k)
{
    int lane = threadIdx.x % 32;
    int place = swizzled<D>(lane % 8 + lane / 16 * 8, lane / 8 % 2);

    ldmatrix_x4(b, &K[moved<D>(place, key, 2 * k)]);
}

/* Loads operand B of P V for 16 keys from `key` on, transposed: chunk c into
 * b[0] and b[1], chunk c + 1 into b[2] and b[3]. */
template <int D, class T>
static inline __device__ void load_v(unsigned *b, const T *V, int key, int c)
{
    int lane = threadIdx.x % 32, place = swizzled<D>(lane % 16, lane / 16);

    ldmatrix_x4_trans(b, &V[moved<D>(place, key, c)]);
}

/* Returns the offset of this thread's first chunk, in elements. */
template <int D> static inline __device__ int own_chunk()
{
    return threadIdx.x / (D / 8) * D + threadIdx.x % (D / 8) * 8;
}

/* Rows from `here` on become 0. A thread copies two chunks at a time, because
 * rung 6a has no registers for more. */
template <int D, class T>
static inline __device__ void copy_swizzled(T *to, const T *from, int n,
                                            int here, int threads)
{
    int row = threadIdx.x / (D / 8);
    int place = swizzled<D>(row, threadIdx.x % (D / 8));
    const T *own = from + own_chunk<D>();

#pragma unroll 2
    for (int r = 0; r < n; r += threads / (D / 8))
        *(uint4 *)&to[moved<D>(place, r, 0)] =
            row + r < here ? *(const uint4 *)&own[r * D] : uint4();
}

/* Like copy_swizzled, but by cp.async. `own` is the address of this thread's
 * first chunk. Rows from `here` on are not read. */
template <int D, class T>
static inline __device__ void copy_own(T *to, const T *own, int n, int here,
                                       int threads)
{
    int row = threadIdx.x / (D / 8);
    int place = swizzled<D>(row, threadIdx.x % (D / 8));

#pragma unroll
    for (int r = 0; r < n; r += threads / (D / 8))
        cp_async_16(&to[moved<D>(place, r, 0)], &own[r * D],
                    row + r < here ? 16 : 0);
}

template <int D, class T>
static inline __device__ void copy_async(T *to, const T *from, int n, int here,
                                         int threads)
{
    copy_own<D>(to, from + own_chunk<D>(), n, here, threads);
}
