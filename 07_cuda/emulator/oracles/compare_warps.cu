/*
 * A warp's instructions in the emulator: mma.sync and ldmatrix.
 */
#include "07_cuda/emulator/oracles/comparison.h"
#include "07_cuda/tile/mma.cuh"

extern __shared__ __align__(1024) char smem[];

static __global__ void multiply(bool half, const unsigned *a, const unsigned *b,
                                float *c)
{
    int t = threadIdx.x;
    float own[4] = {c[4 * t], c[4 * t + 1], c[4 * t + 2], c[4 * t + 3]};

    if (half)
        mma(fp16(), own, a + 4 * t, b + 2 * t);
    else
        mma(bf16(), own, a + 4 * t, b + 2 * t);
    for (int e = 0; e < 4; e++)
        c[4 * t + e] = own[e];
}

/* Elements of CuTe: row + 16 k of A, column + 8 k of B, row + 16 columns. */
template <bool half> static outcome mma_sync()
{
    std::vector<float> A(256), B(128), C(128), c(128);
    std::vector<uint16_t> a(256), b(128);
    auto code = half ? emu::to_fp16 : emu::to_bf16;
    outcome o;

    for (auto *x : {&A, &B, &C})
        for (float &f : *x)
            f = (float)small_integer();
    for (int t = 0; t < 32; t++) {
        for (int v = 0; v < 8; v++)
            a[t * 8 + v] = code(A[mma_A[t][v]]);
        for (int v = 0; v < 4; v++)
            b[t * 4 + v] = code(B[mma_B[t][v]]);
        for (int v = 0; v < 4; v++)
            c[t * 4 + v] = C[mma_C[t][v]];
    }
    float *dc = device(c);
    multiply<<<1, 32>>>(half, (unsigned *)device(a), (unsigned *)device(b), dc);
    c = host(dc, 128);
    for (int t = 0; t < 32; t++)
        for (int v = 0; v < 4; v++) {
            int at = mma_C[t][v];
            float want = C[at];

            for (int k = 0; k < 16; k++)
                want += A[at % 16 + 16 * k] * B[at / 16 + 8 * k];
            o.equal(c[t * 4 + v] == want);
        }
    return o;
}
static added a1("mma.sync bf16 on A, B and C", mma_sync<false>);
static added a2("mma.sync fp16 on A, B and C", mma_sync<true>);

static __global__ void fetch(bool trans, const uint16_t *from, unsigned *to)
{
    uint16_t *s = (uint16_t *)smem;
    int t = threadIdx.x;
    unsigned r[4];

    for (int e = t; e < 256; e += 32)
        s[e] = from[e];
    __syncwarp();
    if (trans)
        ldmatrix_x4_trans(r, s + 8 * t);
    else
        ldmatrix_x4(r, s + 8 * t);
    for (int e = 0; e < 4; e++)
        to[4 * t + e] = r[e];
}

/* Bit v of lane t comes from a bit of what CuTe numbers alike. */
static outcome ldmatrix(bool trans, const int (&from)[32][128],
                        const int (&to)[32][128])
{
    std::vector<uint16_t> numbers(256);
    std::vector<int> place(32 * 128);
    outcome o;

    for (int e = 0; e < 256; e++)
        numbers[e] = (uint16_t)e;
    for (int t = 0; t < 32; t++)
        for (int v = 0; v < 128; v++)
            place[from[t][v]] = t * 128 + v;
    unsigned *out = device(std::vector<unsigned>(128));
    fetch<<<1, 32, 512>>>(trans, device(numbers), out);
    std::vector<unsigned> got = host(out, 128);
    for (int t = 0; t < 32; t++)
        for (int h = 0; h < 8; h++)
            o.equal((int)(got[4 * t + h / 2] >> h % 2 * 16 & 0xffff) ==
                    place[to[t][h * 16]] / 16);
    return o;
}
static added a3("ldmatrix.x4",
                [] { return ldmatrix(false, ldmatrix_from, ldmatrix_to); });
static added a4("ldmatrix.x4.trans", [] {
    return ldmatrix(true, ldmatrix_trans_from, ldmatrix_trans_to);
});
