/*
 * Tiles in shared memory without bank conflicts, and ldmatrix to read them:
 * what rungs 6 and 7 share.
 *
 * Shared memory has 32 banks of 4 bytes, so 8 chunks of 16 bytes fill a line
 * of banks; rows of 128 or 256 bytes all begin in bank 0. ldmatrix wants 8
 * chunks at a time, the same of 8 successive rows: all in the same 4 banks,
 * 8 wavefronts. So chunk c of row r is kept where chunk c ^ (r % 8) would be:
 * then 8 rows have it in 8 different places, a whole row still fills its own
 * line, and no byte is spent on padding.
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
/* Where a tile with rows of D elements keeps chunk c of row r, in elements. */
template <int D> static inline __device__ int swizzled(int r, int c)
{
    if (D == 32) /* two rows to a line of banks */
        return r * D + (c ^ r / 2 % 4) * 8;
    return r * D + c / 8 * 64 + (c % 8 ^ r % 8) * 8;
}
/* ANCHOR_END: swizzle */

/* ANCHOR: moved */
/* Where it keeps chunk c + dc of row r + dr, if `place` is where it keeps chunk
 * c of row r. Neither r and dr nor c and dc may have one of their last three
 * bits in common: then each sum is an XOR too. So a thread computes one place
 * and finds the others from there. (At D = 32 dr is a multiple of 8.) */
template <int D> static inline __device__ int moved(int place, int dr, int dc)
{
    return dr * D + dc / 8 * 64 + (place ^ (dr ^ dc) % 8 * 8);
}
/* ANCHOR_END: moved */

/*
 * One ldmatrix each, for four 8 x 8 matrices. Lane 8 i + j gives the address of
 * row j of matrix i begins. Rows are multiples of 8, chunks of 2.
 *
 * A for Q K^T: rows row.. and chunks 2k, 2k + 1 of Q.
 */
template <int D, class T>
static inline __device__ void load_q(unsigned *a, const T *Q, int row, int k)
{
    int lane = threadIdx.x % 32, place = swizzled<D>(lane % 16, lane / 16);

    ldmatrix_x4(a, &Q[moved<D>(place, row, 2 * k)]);
}

/* B for Q K^T, twice: keys key.. + 7 in b[0], b[1], the next 8 in b[2], b[3].
 * A row of K is a column of K^T: that is how B wants it. */
template <int D, class T>
static inline __device__ void load_k(unsigned *b, const T *K, int key, int k)
{
    int lane = threadIdx.x % 32;
    int place = swizzled<D>(lane % 8 + lane / 16 * 8, lane / 8 % 2);

    ldmatrix_x4(b, &K[moved<D>(place, key, 2 * k)]);
}

/* B for P V, twice: chunk c of keys key.. + 15 in b[0], b[1], the next chunk
 * in b[2], b[3]; transposed on the way. */
template <int D, class T>
static inline __device__ void load_v(unsigned *b, const T *V, int key, int c)
{
    int lane = threadIdx.x % 32, place = swizzled<D>(lane % 16, lane / 16);

    ldmatrix_x4_trans(b, &V[moved<D>(place, key, c)]);
}

/* Of a tile that is copied a thread has one chunk of every few rows: here is
 * the first of them. */
template <int D> static inline __device__ int own_chunk()
{
    return threadIdx.x / (D / 8) * D + threadIdx.x % (D / 8) * 8;
}

/* Copies n rows of D elements into such a tile; zeros from row `here` on. Two
 * chunks are under way at a time: for more rung 6a has no registers. */
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

/* The same in the background, from this thread's own chunk on; cp_async_commit
 * and cp_async_wait follow. Of rows from `here` on it forms addresses only. */
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
