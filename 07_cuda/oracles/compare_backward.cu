/*
 * The fragments of backward rung 3, which computes S and dS transposed: what
 * comes out of one product is what goes into the next, by CuTe's tables. One
 * warp, with small integers, whose sums and roundings are exact.
 */
#include "07_cuda/backward/transposed.cuh"
#include "07_cuda/oracles/comparison.h"

extern __shared__ __align__(1024) char smem[];

enum { D = 64, Br = 128, ROWS = 64 };

static unsigned pair_of(int lower, int upper)
{
    return pack(bf16(), (float)lower, (float)upper);
}

/* The two halves of each register, as numbers. */
static int half_of(unsigned r, int upper)
{
    return (int)emu::from_bf16((uint16_t)(upper ? r >> 16 : r));
}

/* --- P^T and dS^T stay in their registers --------------------------------- */

static __global__ void round_weights(const float *s, unsigned *p)
{
    int t = threadIdx.x;

    weights_of(bf16(), p + 4 * t, s + 8 * t, s + 8 * t + 4);
}

/* An element's number is its key + 16 times its query. */
static outcome stays()
{
    std::vector<float> s(32 * 8);
    outcome o;

    for (int t = 0; t < 32; t++)
        for (int v = 0; v < 8; v++) /* eight queries, and the next eight */
            s[t * 8 + v] = (float)(mma_C[t][v % 4] + v / 4 * 128);
    on_device<float> ds(s);
    on_device<unsigned> dp(32 * 4);
    round_weights<<<1, 32>>>(ds.p, dp.p);
    std::vector<unsigned> p = dp.get();
    for (int t = 0; t < 32; t++)
        for (int v = 0; v < 8; v++)
            o.equal(half_of(p[t * 4 + v / 2], v % 2) == mma_A[t][v]);
    return o;
}
static added a1("b3: S^T as it comes out is P^T as it goes in", stays,
                [] { std::swap(mma_A[5][0], mma_A[5][3]); });

/* --- dS^T through shared memory ------------------------------------------- */

static __global__ void turn(int key, int query, const unsigned *z, unsigned *a)
{
    int t = threadIdx.x;
    bf16 *dS = (bf16 *)smem;

    store_transposed<Br>(dS, key + t / 4, query / 8, t % 4, z + 4 * t);
    __syncwarp();
    load_transposed<Br>(a + 4 * t, dS, key, query);
}

/* Keys were rows on the way in, queries are on the way out. */
static outcome turns()
{
    outcome o;

    for (int key = 0; key < 128; key += 48)
        for (int query = 0; query < Br; query += 16) {
            std::vector<unsigned> z(32 * 4);

            for (int t = 0; t < 32; t++)
                for (int r = 0; r < 4; r++)
                    z[t * 4 + r] =
                        pair_of(mma_A[t][2 * r], mma_A[t][2 * r + 1]);
            on_device<unsigned> dz(z), da(32 * 4);
            turn<<<1, 32, 128 * Br * 2>>>(key, query, dz.p, da.p);
            std::vector<unsigned> a = da.get();
            for (int t = 0; t < 32; t++)
                for (int v = 0; v < 8; v++)
                    o.equal(half_of(a[t * 4 + v / 2], v % 2) ==
                            mma_A[t][v] / 16 + mma_A[t][v] % 16 * 16);
        }
    return o;
}
static added a2("b3: dS^T is stored by keys and fetched by queries", turns,
                [] { std::swap(mma_A[7][2], mma_A[7][3]); });

/* --- S^T = K Q^T, and dV += P^T dO ---------------------------------------- */

/* 16 rows of A from `row` on by 16 rows of B, both along their rows; or, where
 * p is given, p by 16 rows of B and its columns from `row` on. */
static __global__ void product(const uint16_t *A, const uint16_t *B, int row,
                               int other, const unsigned *p, float *out)
{
    bf16 *a_tile = (bf16 *)smem, *b_tile = a_tile + 128 * D;
    int t = threadIdx.x;
    float c[2][4] = {};

    for (int e = t; e < 128 * D; e += 32)
        ((uint16_t *)a_tile)[e] = A[e];
    for (int e = t; e < ROWS * D; e += 32)
        ((uint16_t *)b_tile)[e] = B[e];
    __syncwarp();
    for (int k = 0; k < (p ? 1 : D / 16); k++) {
        unsigned a[4], b[4];

        for (int e = 0; e < 4 && p; e++)
            a[e] = p[4 * t + e];
        if (!p)
            load_q<D>(a, a_tile, row, k);
        if (p)
            load_v<D>(b, b_tile, other, row / 8);
        else
            load_k<D>(b, b_tile, other, k);
        mma(bf16(), c[0], a, b);
        mma(bf16(), c[1], a, b + 2);
    }
    for (int e = 0; e < 8; e++)
        out[8 * t + e] = c[e / 4][e % 4];
}

/* A tile of small integers, and where CuTe puts them. */
template <int R> struct tile {
    std::vector<float> x;
    std::vector<uint16_t> placed;

    explicit tile(const int (&place)[R][D]) : x(R * D), placed(R * D)
    {
        for (int r = 0; r < R; r++)
            for (int c = 0; c < D; c++) {
                x[r * D + c] = (float)small_integer();
                placed[place[r][c] / 2] = emu::to_bf16(x[r * D + c]);
            }
    }
};

static outcome multiplies(bool registers)
{
    tile<128> A(place_k_128_64);
    tile<ROWS> B(place_q_64_64);
    on_device<uint16_t> da(A.placed), db(B.placed);
    outcome o;

    for (int row = 0; row < (registers ? D : 128); row += 16)
        for (int other = 0; other < ROWS; other += 16) {
            std::vector<unsigned> p(32 * 4);
            std::vector<float> P(256);

            for (float &f : P) /* key + 16 times query */
                f = (float)small_integer();
            for (int t = 0; t < 32; t++)
                for (int r = 0; r < 4; r++)
                    p[t * 4 + r] = pair_of((int)P[mma_A[t][2 * r]],
                                           (int)P[mma_A[t][2 * r + 1]]);
            on_device<unsigned> dp(p);
            on_device<float> out(32 * 8);
            product<<<1, 32, (128 + ROWS) * D * 2>>>(
                da.p, db.p, row, other, registers ? dp.p : nullptr, out.p);
            std::vector<float> got = out.get();
            for (int t = 0; t < 32; t++)
                for (int e = 0; e < 8; e++) {
                    int key = mma_C[t][e % 4] % 16;
                    int n = mma_C[t][e % 4] / 16 + e / 4 * 8;
                    float want = 0;

                    for (int k = 0; k < (registers ? 16 : D); k++)
                        want += registers ? P[key + 16 * k] *
                                                B.x[(other + k) * D + row + n]
                                          : A.x[(row + key) * D + k] *
                                                B.x[(other + n) * D + k];
                    o.equal(got[t * 8 + e] == want);
                }
        }
    return o;
}
static added a3(
    "b3: K Q^T, both by rows", [] { return multiplies(false); },
    [] { std::swap(place_k_128_64[9][9], place_k_128_64[9][10]); });
static added a4(
    "b3: P^T dO, by columns", [] { return multiplies(true); },
    [] { std::swap(place_q_64_64[9][9], place_q_64_64[9][10]); });
