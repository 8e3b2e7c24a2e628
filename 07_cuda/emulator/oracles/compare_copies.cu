/*
 * TMA's boxes: a tile that the emulator brings, with the kernels' maps, lies
 * in shared memory byte for byte where CuTe's layout puts it.
 */
#include "07_cuda/emulator/oracles/comparison.h"
#include "07_cuda/tile/warpgroup.cuh"

extern __shared__ __align__(1024) char smem[];

static __global__ void bring(const __grid_constant__ CUtensorMap map, int rows,
                             int boxes, int columns, int bytes, uint8_t *out)
{
    __shared__ mbarrier full;

    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init();
        mbarrier_arrive_and_expect(&full, bytes);
        for (int b = 0; b < boxes; b++)
            tma_load(smem + b * rows * 128, &map, &full, b * columns, 0, 0);
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    for (int e = threadIdx.x; e < bytes; e += 128)
        out[e] = smem[e];
}

/* A matrix of R x C elements of so many bytes each. */
template <int R, int C> static outcome box(const int (&place)[R][C], int size)
{
    const int bytes = R * C * size, columns = size == 2 ? 64 : C;
    std::vector<uint8_t> from(bytes), want(bytes), got;
    CUtensorMap map;
    outcome o;

    for (int e = 0; e < bytes; e++)
        from[e] = (uint8_t)(e * 151 + e / 256 * 17);
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C * size; c++)
            want[(place[r][c / size] + c % size) % bytes] =
                from[r * C * size + c];
    uint8_t *d = device(from), *out = device(from);
    must(size == 2 ? tensor_map_bf16(&map, d, C, R, R, 1, R)
                   : tensor_map_e4m3(&map, d, C, R, R, 1, columns, R));
    must(cudaFuncSetAttribute(
        bring, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    bring<<<1, 128, bytes>>>(map, R, C / columns, columns, bytes, out);
    got = host(out, bytes);
    for (int e = 0; e < bytes; e++)
        o.equal(got[e] == want[e]);
    return o;
}

#define BOX(what, place, size)                                                 \
    static added added_##place("TMA " what, [] { return box(place, size); });
BOX("bf16 192 x 64, one panel", place_q_192_64, 2)
BOX("bf16 128 x 128, two panels", place_k_128_128, 2)
BOX("bf16 64 x 128, two panels", place_k_64_128, 2)
BOX("e4m3 192 x 64, rows of 64 bytes", place_q8_192_64, 1)
BOX("e4m3 128 x 128, rows of 128 bytes", place_k8_128_128, 1)
BOX("e4m3 64 x 128, V transposed", place_v8_64_128, 1)

/* V is loaded by rows of keys, and read by columns. */
template <int R, int C>
static void transposed(outcome &o, const int (&rows)[R][C],
                       const int (&columns)[C][R])
{
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            o.equal(rows[r][c] == columns[c][r]);
}

static outcome values()
{
    outcome o;

    transposed(o, place_k_128_128, place_v_128_128);
    transposed(o, place_k_128_64, place_v_64_128);
    transposed(o, place_k_64_128, place_v_128_64);
    return o;
}
static added a1("V as TMA brings it is what wgmma reads transposed", values);
