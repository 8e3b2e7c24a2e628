/*
 * Tiles in shared memory without bank conflicts, and ldmatrix to read them, for
 * rungs 6 and 7.
 *
 * Shared memory has 32 banks of 4 bytes, so 8 chunks of 16 bytes fill a line of
 * banks, and rows of 128 or 256 bytes all begin in bank 0. ldmatrix reads 8
 * chunks at a time, the same chunk of 8 successive rows. All are in the same 4
 * banks, which takes 8 wavefronts. So chunk c of row r is stored in the place
 * of chunk c ^ (r % 8): 8 rows have it in 8 different places, a whole row still
 * fills its own line, and there is no padding.
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
/* Returns the place, in elements, of chunk c of row r of D elements. */
template <int D> static inline __device__ int swizzled(int r, int c)
{
    if (D == 32) /* a line of banks has two rows */
        return r * D + (c ^ r / 2 % 4) * 8;
    return r * D + c / 8 * 64 + (c % 8 ^ r % 8) * 8;
}
/* ANCHOR_END: swizzle */

/* ANCHOR: moved */
/* Returns the place of chunk c + dc of row r + dr, from the place of chunk c of
 * row r. So a thread computes only one place with swizzled. r and dr, and c and
 * dc, must have no bit of their last three in common: then each sum is also an
 * XOR. At D = 32, dr must be a multiple of 8. */
template <int D> static inline __device__ int moved(int place, int dr, int dc)
{
    return dr * D + dc / 8 * 64 + (place ^ (dr ^ dc) % 8 * 8);
}
/* ANCHOR_END: moved */

/*
 * Each of these is one ldmatrix of four 8 x 8 matrices. Lane 8 i + j passes the
 * address of row j of matrix i. Rows are multiples of 8, chunks of 2.
 *
 * load_q loads A of Q K^T: 16 rows of Q from `row` on, chunks 2k and 2k + 1.
 */
template <int D, class T>
static inline __device__ void load_q(unsigned *a, const T *Q, int row, int k)
{
    int lane = threadIdx.x % 32, place = swizzled<D>(lane % 16, lane / 16);

    ldmatrix_x4(a, &Q[moved<D>(place, row, 2 * k)]);
}

/* Loads two B of Q K^T: 8 keys from `key` on in b[0], b[1], the next 8 in b[2],
 * b[3]. B needs columns of K^T, which are rows of K. */
template <int D, class T>
static inline __device__ void load_k(unsigned *b, const T *K, int key, int k)
{
    int lane = threadIdx.x % 32;
    int place = swizzled<D>(lane % 8 + lane / 16 * 8, lane / 8 % 2);

    ldmatrix_x4(b, &K[moved<D>(place, key, 2 * k)]);
}

/* Loads two B of P V, transposed: chunk c of 16 keys from `key` on in b[0],
 * b[1], the next chunk in b[2], b[3]. */
template <int D, class T>
static inline __device__ void load_v(unsigned *b, const T *V, int key, int c)
{
    int lane = threadIdx.x % 32, place = swizzled<D>(lane % 16, lane / 16);

    ldmatrix_x4_trans(b, &V[moved<D>(place, key, c)]);
}

/* In a copy of a tile a thread copies one chunk of every few rows. Returns the
 * offset of the first. */
template <int D> static inline __device__ int own_chunk()
{
    return threadIdx.x / (D / 8) * D + threadIdx.x % (D / 8) * 8;
}

/* Copies n rows of D elements into a swizzled tile; zeros from row `here` on. A
 * thread copies two chunks at a time: rung 6a has no registers for more. */
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

/* The same in the background, from this thread's first chunk on. The caller
 * calls cp_async_commit and cp_async_wait. Rows from `here` on are not read. */
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
