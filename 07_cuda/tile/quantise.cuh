/*
 * The pre-pass of rung 11: converts blocks of bf16 rows to e4m3.
 *
 * A number is divided by the scale and rounded to e4m3. The scale is the
 * smallest power of two, from 2^-80 on, for which the block's largest quotient
 * is at most 448. For a block of zeros it is 1. So the only error is the
 * rounding to e4m3. e4m3 has no infinity. An infinite input becomes NaN instead
 * of 448, so that it is visible in the output.
 *
 * docs/hopper.md
 */
#pragma once
#include "07_cuda/fp8/fp8.h"
#include "07_cuda/tile/mma.cuh"
#include "07_cuda/ptx/ptx_hopper.h"

static const int quantise_threads = 256;

/* Returns which of 16 keys is stored at place k of a row of V. In operand A of
 * wgmma, one register of lane t (of four) has the weights of keys 2t, 2t + 1, 8
 * + 2t and 8 + 2t + 1. wgmma multiplies these weights by the elements of V at
 * places 4t .. 4t + 3. */
static __device__ int key_at(int k)
{
    return k / 2 % 2 * 8 + k / 4 * 2 + k % 2;
}

/* The scale is at least 2^-80, so that 1 / scale is finite in fp32. */
static __device__ float scale_for(float largest)
{
    int exponent;
    float fraction = frexpf(largest, &exponent); /* 448 is 7/8 of 2^9 */

    exponent += fraction > 0.875f ? -8 : -9;
    return largest == 0 ? 1 : ldexpf(1, max(exponent, -80));
}

/* Returns the largest finite |x| of n numbers to all threads of the block. */
static __device__ float largest_finite(const bf16 *x, int n)
{
    __shared__ float of_warp[quantise_threads / 32];
    float largest = 0;

    for (int e = threadIdx.x; e < n; e += quantise_threads) {
        float size = fabsf(__bfloat162float(x[e]));

        if (size < INFINITY)
            largest = fmaxf(largest, size);
    }
    largest = max_of_lanes<32>(largest);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = largest;
    __syncthreads();
    for (int w = 0; w < quantise_threads / 32; w++)
        largest = fmaxf(largest, of_warp[w]);
    return largest;
}

/* Returns the index of chunk c (8 numbers) of row r in shared memory. Eight
 * threads read a column in rows 16 apart, and their chunks are in different
 * banks. */
template <int D> static __device__ int apart(int r, int c)
{
    return r * (D / 8) + (c ^ r / 16 % 8);
}

/* Block (x, y) quantises rows x Rows .. (x + 1) Rows - 1 of head y. Rows from
 * `seen` on are not read. The output has rows of D codes. If Transposed, it has
 * D rows of `keys` codes, and the block's codes from `seen` on are 0. */
template <int D, int Rows, bool Transposed>
static __global__ void __launch_bounds__(quantise_threads)
    quantise_e4m3(const bf16 *from, int rows, int seen, uint8_t *to, int keys,
                  float *scales, int blocks)
{
    __shared__ uint4 chunks[Rows * D / 8];
    bf16 *x = (bf16 *)chunks;
    const int first = blockIdx.x * Rows, head = blockIdx.y;
    const int across = Transposed ? Rows : D; /* numbers per output row */
    from += ((size_t)head * rows + first) * D;
    for (int e = threadIdx.x; e < Rows * D / 8; e += quantise_threads)
        chunks[apart<D>(e / (D / 8), e % (D / 8))] =
            first + e / (D / 8) < seen ? ((const uint4 *)from)[e] : uint4();
    __syncthreads();
    float scale = scale_for(largest_finite(x, Rows * D));
    if (threadIdx.x == 0)
        scales[head * blocks + blockIdx.x] = scale;
    scale = 1 / scale; /* exact, because scale is a power of two */
    for (int e = threadIdx.x; e < Rows * D / 16; e += quantise_threads) {
        int r = e / (across / 16), c = e % (across / 16) * 16;
        size_t row =
            Transposed ? (size_t)head * D + r : (size_t)head * keys + first + r;
        unsigned four[4];
        auto at = [&](int k) {
            int row = Transposed ? c + key_at(k) : r;
            int column = Transposed ? r : c + k;
            float v =
                __bfloat162float(x[8 * apart<D>(row, column / 8) + column % 8]);

            return fabsf(v) == INFINITY ? NAN : v * scale;
        };

        if (!Transposed && first + r >= seen)
            break;
        for (int k = 0; k < 16; k += 4)
            four[k / 4] = pack_e4m3x4(at(k), at(k + 1), at(k + 2), at(k + 3));
        *(uint4 *)&to[Transposed ? row * keys + first + c : row * D + c] =
            make_uint4(four[0], four[1], four[2], four[3]);
    }
}
