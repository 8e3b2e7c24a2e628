/*
 * The emulator's products: A and B lie where CuTe's layouts put them, CuTe's
 * descriptors say where, and each register is the element that CuTe says. The
 * numbers are small integers, so that any order of the sum is exact; whatever
 * nobody put there is a NaN.
 */
#include "07_cuda/emulator/oracles/comparison.h"
#include "07_cuda/tile/mma.cuh"
#include "07_cuda/ptx/ptx_hopper.h"

extern __shared__ __align__(1024) char smem[];

typedef unsigned long long descriptor;
enum { MOST_STEPS = 8 };

/* One product of 64 x N x (16 or 32 steps). */
template <int N, bool registers, bool bytes, bool trans>
static __global__ void multiply(const uint8_t *a, int a_size, const uint8_t *b,
                                int b_size, const descriptor *at, int steps,
                                const unsigned *of_thread, float *out)
{
    char *A = smem, *B = smem + (a_size + 1023) / 1024 * 1024;
    descriptor A0 = shared_address(A) >> 4, B0 = shared_address(B) >> 4;
    unsigned p[MOST_STEPS][4];
    float d[N / 2] = {};
    int t = threadIdx.x;

    for (int e = t; e < a_size; e += 128)
        A[e] = (char)a[e];
    for (int e = t; e < b_size; e += 128)
        B[e] = (char)b[e];
    for (int e = 0; e < MOST_STEPS * 4; e++)
        p[e / 4][e % 4] = of_thread[t * MOST_STEPS * 4 + e];
    fence_proxy_async();
    __syncthreads();
    wgmma_fence();
    for (int k = 0; k < steps; k++) {
        descriptor da = at[k] + A0, db = at[MOST_STEPS + k] + B0;

        if constexpr (bytes && registers)
            wgmma_e4m3(d, p[k], db, k > 0);
        else if constexpr (bytes)
            wgmma_e4m3(d, da, db, k > 0);
        else if constexpr (trans && registers)
            wgmma_transposed(d, p[k], db, k > 0);
        else if constexpr (trans)
            wgmma_transposed(d, da, db, k > 0);
        else
            wgmma(d, da, db, k > 0);
    }
    wgmma_commit();
    wgmma_wait<0>(d);
    for (int e = 0; e < N / 2; e++)
        out[t * (N / 2) + e] = d[e];
}

static void encode(bool bytes, float x, uint8_t *to)
{
    uint16_t wide = emu::to_bf16(x);

    if (bytes)
        *to = emu::to_e4m3(x);
    else
        memcpy(to, &wide, 2);
}

/* R x C integers, and their image in shared memory, NaN where nothing is. */
template <int R, int C> struct operand {
    float x[R][C];
    std::vector<uint8_t> image;

    operand(const int (&place)[R][C], bool bytes)
        : image(R * C * (bytes ? 1 : 2) + 16, bytes ? 0x7f : 0xff)
    {
        for (int r = 0; r < R; r++)
            for (int c = 0; c < C; c++) {
                x[r][c] = (float)small_integer();
                encode(bytes, x[r][c], &image[place[r][c]]);
            }
    }
};

/* Rows row0 .. row0 + 63 of A times all of B. */
template <int N, bool registers, bool bytes, bool trans, int AR, int AC, int BR,
          int BC, int S>
static outcome product(const int (&place_a)[AR][AC],
                       const int (&place_b)[BR][BC], const descriptor *at_a,
                       const descriptor (&at_b)[1][S], int row0)
{
    const int deep = bytes ? 32 : 16, width = bytes ? 1 : 2;
    operand<AR, AC> a(place_a, bytes);
    operand<BR, BC> b(place_b, bytes);
    std::vector<unsigned> p(128 * MOST_STEPS * 4);
    std::vector<descriptor> at(2 * MOST_STEPS);
    outcome o;

    for (int s = 0; s < S; s++) {
        at[s] = at_a[s];
        at[MOST_STEPS + s] = at_b[0][s];
    }
    for (int t = 0; t < 128 && registers; t++)
        for (int e = 0; e < S * 16 / width; e++) {
            int s = e / (16 / width), v = e % (16 / width);
            int at = bytes ? wgmma_A_e4m3[t][v] : wgmma_A_bf16[t][v % 8];

            encode(bytes, a.x[row0 + at % 64][s * deep + at / 64],
                   (uint8_t *)&p[(t * MOST_STEPS + s) * 4] + v * width);
        }
    float *out = device(std::vector<float>(128 * N / 2));
    int shared = (int)(a.image.size() + b.image.size()) + 2048;
    auto *kernel = multiply<N, registers, bytes, trans>;

    must(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<1, 128, shared>>>(device(a.image), (int)a.image.size(),
                               device(b.image), (int)b.image.size(), device(at),
                               S, device(p), out);
    std::vector<float> got = host(out, 128 * N / 2);
    for (int t = 0; t < 128; t++)
        for (int e = 0; e < N / 2; e++) {
            int at = N == 64 ? wgmma_C64[t][e] : wgmma_C128[t][e];
            float want = 0;

            for (int k = 0; k < S * deep; k++)
                want += a.x[row0 + at % 64][k] * b.x[at / 64][k];
            o.equal(got[t * (N / 2) + e] == want);
        }
    return o;
}

#define PRODUCT(id, what, N, registers, bytes, trans, a, block, b)             \
    static added added_##id("wgmma " what, [] {                                \
        return product<N, registers, bytes, trans>(                            \
            place_##a, place_##b, descriptor_##a[block], descriptor_##b,       \
            64 * block);                                                       \
    });
PRODUCT(1, "bf16 64 x 128 x 64, rows 0.. of 192", 128, false, false, false,
        q_192_64, 0, k_128_64)
PRODUCT(2, "bf16 64 x 128 x 64, rows 128.. of 192", 128, false, false, false,
        q_192_64, 2, k_128_64)
PRODUCT(3, "bf16 64 x 128 x 128, rows 64.. of 128", 128, false, false, false,
        q_128_128, 1, k_128_128)
PRODUCT(4, "bf16 64 x 64 x 128, rung 12", 64, false, false, false, q_64_128, 0,
        k_64_128)
PRODUCT(5, "bf16 P V, d 128, 128 keys", 128, true, false, true, k_128_128, 0,
        v_128_128)
PRODUCT(6, "bf16 P V, d 64, 128 keys", 64, true, false, true, k_128_128, 0,
        v_64_128)
PRODUCT(7, "bf16 P V, d 128, 64 keys", 128, true, false, true, k_128_64, 0,
        v_128_64)
PRODUCT(8, "e4m3 64 x 128 x 64, rows 64.. of 192", 128, false, true, false,
        q8_192_64, 1, k8_128_64)
PRODUCT(9, "e4m3 64 x 128 x 128, rows 64.. of 128", 128, false, true, false,
        q8_128_128, 1, k8_128_128)
PRODUCT(10, "e4m3 P V, d 128", 128, true, true, false, q8_128_128, 0,
        v8_128_128)
PRODUCT(11, "e4m3 P V, d 64", 64, true, true, false, q8_128_128, 0, v8_64_128)
PRODUCT(12, "bf16 dS K, both by columns, 128 keys", 128, false, false, true,
        v_64_128, 0, v_128_128)
