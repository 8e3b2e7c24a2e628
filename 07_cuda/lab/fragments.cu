/*
 * Which lane holds which element of a matrix? Asked of the emulator: ldmatrix
 * fetches a 16 x 16 matrix whose elements are their own numbers, as A of
 * mma.sync wants it; and mma.sync multiplies it by the identity, so that what
 * comes out says where it went. And which warp of rungs 5a and 5b computes
 * which part of S.
 *
 *     make lab-fragments
 *
 * Lines: out | in, row, column, lane | warp, rung, queries from, to, keys from,
 * to, number.
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "07_cuda/tile/mma.cuh"

enum { N = 16, HALF = 8, WARPS = 4, TILE = 64 };

/* in[e]: the lane that holds element e of A. out[e]: of two tiles of 8 columns
 * of C, side by side. */
static __global__ void lanes_of(int *in, int *out)
{
    __shared__ __align__(16) bf16 A[N * N], I[N * N];
    int lane = threadIdx.x;
    unsigned a[4], b[4];

    for (int e = lane; e < N * N; e += 32) {
        A[e] = __float2bfloat16(e);
        I[e] = __float2bfloat16(e / N == e % N);
    }
    __syncthreads();
    ldmatrix_x4(a, &A[lane % N * N + lane / N * HALF]);
    ldmatrix_x4(
        b, &I[(lane % HALF + lane / N * HALF) * N + lane / HALF % 2 * HALF]);
    for (int e = 0; e < 8; e++) {
        uint16_t bits = (uint16_t)(a[e / 2] >> 16 * (e % 2));

        in[(int)__bfloat162float(*(bf16 *)&bits)] = lane;
    }
    for (int half = 0; half < 2; half++) {
        float c[4] = {};

        mma(bf16(), c, a, b + 2 * half);
        for (int e = 0; e < 4; e++)
            out[(int)c[e]] = lane;
    }
}

static void print_lanes(const char *name, const int *lane)
{
    for (int e = 0; e < N * N; e++)
        printf("%s\t%d\t%d\t%d\n", name, e / N, e % N, lane[e]);
}

int main()
{
    int in[N * N], out[N * N], *on_device;
    int error = cudaMalloc(&on_device, 2 * sizeof in);

    if (error)
        return 1;
    lanes_of<<<1, 32>>>(on_device, on_device + N * N);
    if (cudaMemcpy(in, on_device, sizeof in, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(out, on_device + N * N, sizeof out, cudaMemcpyDeviceToHost))
        return 1;
    print_lanes("out", out);
    print_lanes("in", in);
    for (int w = 0; w < WARPS; w++) {
        int from = TILE / WARPS * w, to = TILE / WARPS * (w + 1);

        printf("warp\tsliced_k\t0\t%d\t%d\t%d\t%d\n", TILE, from, to, w);
        printf("warp\tsplit_q\t%d\t%d\t0\t%d\t%d\n", from, to, TILE, w);
    }
    return 0;
}
