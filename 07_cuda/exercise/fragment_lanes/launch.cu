/*
 * Runs mma.m16n8k16 with one of the exercise's functions. ldmatrix loads the
 * other operands. Where a lane's results belong is computed by a product, whose
 * elements are their own places.
 */
#include "fragment_lanes.h"

#include "07_cuda/exercise/on_device.cuh"
#include "07_cuda/ptx/ptx.h"

typedef __half tile[16];

/* B is transposed in shared memory. */
static __device__ void load(unsigned *a, unsigned *b, const tile *A,
                            const tile *B)
{
    int lane = threadIdx.x;
    unsigned b_twice[4];

    ldmatrix_x4(a, &A[lane % 16][8 * (lane / 16)]);
    ldmatrix_x4(b_twice, &B[lane % 8][8 * (lane / 8 % 2)]);
    b[0] = b_twice[0];
    b[1] = b_twice[1];
}

static __device__ bool is_inside(place p, int columns)
{
    return p.row >= 0 && p.row < 16 && p.column >= 0 && p.column < columns;
}

/* Returns an element of a matrix of 16 rows, or 0 if it has no such place. */
static __device__ float element(const float *x, int columns, place p)
{
    return is_inside(p, columns) ? x[p.row * columns + p.column] : 0;
}

/* Stores the lane's results c, and at[..] = 8 row + column of each, or -1. */
static __global__ void product(int function, const float *A, const float *B,
                               float *c_of_lane, float *at)
{
    __shared__ __align__(16) __half A_16[16][16], B_16[8][16];
    __shared__ __align__(16) __half A_rows[16][16], B_columns[8][16];
    int lane = threadIdx.x;
    unsigned a[4], b[2];
    float code[4] = {}, c[4] = {};

    for (int e = lane; e < 256; e += 32) {
        int row = e / 16, k = e % 16;

        A_16[row][k] = __float2half(A[e]);
        A_rows[row][k] = __float2half(k == 0 ? row : k == 1);
    }
    for (int e = lane; e < 128; e += 32) {
        int k = e / 8, column = e % 8;

        B_16[column][k] = __float2half(B[e]);
        B_columns[column][k] = __float2half(k == 0 ? 8 : k == 1 ? column : 0);
    }
    __syncthreads();
    load(a, b, A_rows, B_columns);
    mma_m16n8k16_f16(code, a, b);
    load(a, b, A_16, B_16);
    for (int i = 0; i < 4; i++) {
        float x[2];

        for (int h = 0; h < 2; h++)
            if (function == WEIGHT_OF) {
                int k = weight_of(2 * i + h), at = (int)code[k & 3];

                x[h] =
                    k >= 0 && k < 8 ? A[at / 8 * 16 + k / 4 * 8 + at % 8] : 0;
            } else if (function == A_PLACE) {
                x[h] = element(A, 16, a_place(lane, 2 * i + h));
            } else if (function == B_PLACE && i < 2) {
                x[h] = element(B, 8, b_place(lane, 2 * i + h));
            }
        if (function == WEIGHT_OF || function == A_PLACE)
            a[i] = pack_f16x2(x[0], x[1]);
        else if (function == B_PLACE && i < 2)
            b[i] = pack_f16x2(x[0], x[1]);
    }
    mma_m16n8k16_f16(c, a, b);
    for (int e = 0; e < 4; e++) {
        place p = {(int)code[e] / 8, (int)code[e] % 8};

        if (function == C_PLACE)
            p = c_place(lane, e);
        c_of_lane[4 * lane + e] = c[e];
        at[4 * lane + e] = is_inside(p, 8) ? 8 * p.row + p.column : -1;
    }
}

int multiply(int function, const float *A, const float *B, float *C)
{
    float c[128], at[128];
    int error =
        on_device([=](float *A, float *B, float *c,
                      float *at) { product<<<1, 32>>>(function, A, B, c, at); },
                  from_host("A", A, 256), from_host("B", B, 128),
                  to_host("C", c, 128), to_host("at", at, 128));

    for (int e = 0; e < 128; e++)
        if (!error && at[e] >= 0 && at[e] < 128)
            C[(int)at[e]] = c[e];
    return error;
}
