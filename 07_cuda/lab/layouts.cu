/*
 * Where do the numbers lie? Asked of the emulator: TMA brings a box of eight
 * rows, each piece of 16 bytes marked; and wgmma, given a tile whose pieces
 * hold their own places, says where it looked for piece c of row r.
 *
 *     make lab-layouts
 *
 * Lines: tma | wgmma, r, c, place (of 16 bytes, from the tile's first) |
 * field, its first and its last bit, name, value in the descriptor of that
 * tile, the same in bytes.
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "07_cuda/ptx/ptx_hopper.h"
#include "07_cuda/tile/swizzle.cuh"

static const int Rows = 16, Pieces = 8, Tile = 64 * 128; /* bytes */

extern __shared__ __align__(1024) char smem[];

/* place[8 r + c] for the rows of the box. */
static __global__ void places_of_tma(const __grid_constant__ CUtensorMap map,
                                     int *place)
{
    __shared__ mbarrier full;
    int t = threadIdx.x;

    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init();
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem, &map, &full, 0, 0, 0);
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    place[(int)__bfloat162float(((bf16 *)smem)[8 * t])] = t;
}

/* A's rows are all the same, a single 1 in column 8 half: so column n of D is
 * what is in row n of B, in that column of a step of 16. */
static __global__ void places_of_wgmma(int *place, unsigned long long *operand)
{
    bf16 *A = (bf16 *)smem, *B = A + Tile / 2;
    int t = threadIdx.x;
    float d[32];

    for (int c = 0; c < Pieces; c++) {
        for (int e = t; e < Tile / 2; e += 128) {
            A[e] = __float2bfloat16(0);
            B[e] = __float2bfloat16(e / 8 < Rows * Pieces ? e / 8 : 0);
        }
        __syncthreads();
        if (t < 64)
            A[swizzled<64>(t, c % 2)] = __float2bfloat16(1);
        fence_proxy_async();
        __syncthreads();
        wgmma_fence();
        wgmma(d, wgmma_operand(A), bytes_on(wgmma_operand(B), c / 2 * 32),
              false);
        wgmma_commit();
        wgmma_wait<0>(d);
        for (int e = 0; t < 4 && e < Rows / 2; e++)
            if (e % 4 < 2) /* of row 0 */
                place[(e / 4 * 8 + t * 2 + e % 2) * Pieces + c] = (int)d[e];
        __syncthreads();
    }
    if (t == 0)
        *operand = wgmma_operand(B);
}

static void print_places(const char *who, const int *place, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < Pieces; c++)
            printf("%s\t%d\t%d\t%d\n", who, r, c, place[r * Pieces + c]);
}

static void print_fields(unsigned long long operand)
{
    static const struct {
        const char *name;
        int first, last, bytes;
    } fields[] = {{"address", 0, 13, 16},
                  {"leading offset", 16, 29, 16},
                  {"stride offset", 32, 45, 16},
                  {"base offset", 49, 51, 1},
                  {"swizzle", 62, 63, 1}};

    for (const auto &f : fields) {
        unsigned long long value =
            operand >> f.first & ((1ull << (f.last - f.first + 1)) - 1);

        printf("field\t%d\t%d\t%s\t%llu\t%llu\n", f.first, f.last, f.name,
               value, value * f.bytes);
    }
}

int main()
{
    bf16 rows[8 * 64], *box;
    int tma[8 * Pieces], wgmma[Rows * Pieces], *place;
    unsigned long long operand, *at;
    CUtensorMap map;
    int error;

    for (int e = 0; e < 8 * 64; e++)
        rows[e] = __float2bfloat16(e / 8);
    error = cudaMalloc(&box, sizeof rows);
    if (!error)
        error = cudaMalloc(&place, sizeof wgmma);
    if (!error)
        error = cudaMalloc(&at, sizeof operand);
    if (!error)
        error = cudaMemcpy(box, rows, sizeof rows, cudaMemcpyHostToDevice);
    if (!error)
        error = tensor_map_bf16(&map, box, 64, 8, 8, 1, 8);
    if (error)
        return 1;
    places_of_tma<<<1, 64, 1024>>>(map, place);
    if (cudaMemcpy(tma, place, sizeof tma, cudaMemcpyDeviceToHost))
        return 1;
    places_of_wgmma<<<1, 128, 2 * Tile>>>(place, at);
    if (cudaMemcpy(wgmma, place, sizeof wgmma, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(&operand, at, sizeof operand, cudaMemcpyDeviceToHost))
        return 1;
    print_places("tma", tma, 8);
    print_places("wgmma", wgmma, Rows);
    print_fields(operand);
    return 0;
}
