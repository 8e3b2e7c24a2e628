/*
 * The pre-pass of rung 11: a block of rows, bf16, to e4m3 and one scale.
 *
 * The scale is the smallest power of two that makes the block's largest number
 * 448 or less: dividing by it rounds nothing, and e4m3's 3 bits are
 * all that is lost. e4m3 has no infinity: one becomes NaN, not 448, so that it
 * is seen in the output; neither has a say in the scale.
 *
 * docs/hopper.md
 */
#pragma once
#include "07_cuda/fp8/fp8.h"
#include "07_cuda/tile/mma.cuh"
#include "07_cuda/ptx/ptx_hopper.h"

static const int quantise_threads = 256;

/* Of 16 keys, which is at place k of V's rows. A thread's weights of two
 * tiles of 8 keys, 2t, 2t + 1, 8 + 2t, 8 + 2t + 1, go into one register of A,
 * and wgmma takes them for those at 4t, 4t + 1, 4t + 2, 4t + 3. */
static __device__ int key_at(int k)
{
    return k / 2 % 2 * 8 + k / 4 * 2 + k % 2;
}

/* Scales are 2^-80 or more: scales of two blocks must have a ratio
 * that fp32 can hold. */
static __device__ float scale_for(float largest)
{
    int exponent;
    float fraction = frexpf(largest, &exponent); /* 448 is 7/8 of 2^9 */

    exponent += fraction > 0.875f ? -8 : -9;
    return largest == 0 ? 1 : ldexpf(1, max(exponent, -80));
}

/* The largest finite |x| of n, over the whole block of threads. */
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

/* Where chunk c of row r is kept, in chunks of 8 numbers. A column is read by 8
 * threads at once, 16 rows from one another: these lie in different banks. */
template <int D> static __device__ int apart(int r, int c)
{
    return r * (D / 8) + (c ^ r / 16 % 8);
}

/* Block x of head y: Rows rows of D, of which those below `seen` are read. To
 * the same rows of e4m3; or transposed, to D rows of `keys`, the others 0. */
template <int D, int Rows, bool Transposed>
static __global__ void __launch_bounds__(quantise_threads)
    quantise_e4m3(const bf16 *from, int rows, int seen, uint8_t *to, int keys,
                  float *scales, int blocks)
{
    __shared__ uint4 chunks[Rows * D / 8];
    bf16 *x = (bf16 *)chunks;
    const int first = blockIdx.x * Rows, head = blockIdx.y;
    const int across = Transposed ? Rows : D; /* of a row of the output */
    from += ((size_t)head * rows + first) * D;
    for (int e = threadIdx.x; e < Rows * D / 8; e += quantise_threads)
        chunks[apart<D>(e / (D / 8), e % (D / 8))] =
            first + e / (D / 8) < seen ? ((const uint4 *)from)[e] : uint4();
    __syncthreads();
    float scale = scale_for(largest_finite(x, Rows * D));
    if (threadIdx.x == 0)
        scales[head * blocks + blockIdx.x] = scale;
    scale = 1 / scale; /* a power of two again */
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
