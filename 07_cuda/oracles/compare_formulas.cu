/*
 * The formulas of the kernels: which element of a tile a register is, the
 * fields of a descriptor, and how it walks along a tile.
 */
#include "07_cuda/oracles/comparison.h"
#include "07_cuda/tile/quantise.cuh"
#include "07_cuda/tile/roles.cuh"

extern __shared__ char smem[];

/* What the device functions say. */
struct formulas {
    int row[128], column[128][64], which[64], key[16];
    unsigned long long at, rows, panels_128, panels_64, e4m3_64, e4m3_128;
};

static __global__ void ask(formulas *f)
{
    int t = threadIdx.x;

    f->row[t] = row_of_thread();
    for (int e = 0; e < 64; e++)
        f->column[t][e] = column_of(e);
    if (t < 64)
        f->which[t] = which_row(t);
    if (t < 16)
        f->key[t] = key_at(t);
    if (t == 0) {
        f->at = shared_address(smem);
        f->rows = wgmma_operand(smem);
        f->panels_128 = wgmma_operand(smem, 128 * 128);
        f->panels_64 = wgmma_operand(smem, 64 * 128);
        f->e4m3_64 = wgmma_operand_e4m3(smem, 64);
        f->e4m3_128 = wgmma_operand_e4m3(smem, 128);
    }
}

static const formulas &own()
{
    static std::vector<formulas> f;

    if (f.empty()) {
        formulas *d = device(std::vector<formulas>(1));

        ask<<<1, 128, 1024>>>(d);
        f = host(d, 1);
    }
    return f[0];
}

/* CuTe's element of a 64 x N accumulator: row + 64 columns. */
static int element(int t, int e)
{
    return own().row[t] + 8 * own().which[e] + 64 * own().column[t][e];
}

static outcome accumulators()
{
    outcome o;

    for (int t = 0; t < 128; t++)
        for (int e = 0; e < 64; e++) {
            o.equal(wgmma_C128[t][e] == element(t, e));
            if (e < 32)
                o.equal(wgmma_C64[t][e] == element(t, e));
        }
    return o;
}
static added a1("accumulators: row_of_thread, which_row, column_of",
                accumulators, [] { wgmma_C128[77][5] ^= 1; });

/* pack: P[e / 8][e / 2 % 4] has weights e and e + 1. */
static outcome weights_bf16()
{
    outcome o;

    for (int t = 0; t < 128; t++)
        for (int e = 0; e < 64; e++) {
            int a = wgmma_A_bf16[t][e / 2 % 4 * 2 + e % 2];

            o.equal(a % 64 == element(t, e) % 64 &&
                    a / 64 + e / 8 * 16 == element(t, e) / 64);
        }
    return o;
}
static added a2("pack: S as it comes out is P as it goes in", weights_bf16,
                [] { wgmma_A_bf16[3][7] ^= 64; });

/* pack_e4m3: register e / 8 % 2 * 2 + half of step e / 16; and the key that
 * key_at put where wgmma looks. */
static outcome weights_e4m3()
{
    outcome o;

    for (int t = 0; t < 128; t++)
        for (int e0 = 0; e0 < 64; e0 += 8)
            for (int b = 0; b < 8; b++) {
                int half = b / 4, e = e0 + half * 2 + b % 2 + b / 2 % 2 * 4;
                int a = wgmma_A_e4m3[t][(e0 / 8 % 2 * 2 + half) * 4 + b % 4];
                int k = a / 64, key = k / 16 * 16 + own().key[k % 16];

                o.equal(a % 64 == element(t, e) % 64 &&
                        key + e0 / 16 * 32 == element(t, e) / 64);
            }
    return o;
}
static added a3("pack_e4m3 and key_at: weights meet their keys", weights_e4m3,
                [] { wgmma_A_e4m3[100][9] ^= 64; });

/* --- Descriptors ---------------------------------------------------------- */

/* Bit by bit, less the address of the tile. */
static void bits(outcome &o, unsigned long long cute, unsigned long long ours)
{
    for (int b = 0; b < 64; b++)
        o.equal((cute >> b & 1) == ((ours - (own().at >> 4)) >> b & 1));
}

/* For d 64 V is one panel wide: wgmma then ignores the distance to the next,
 * bits 16 to 29, and CuTe leaves it 0. */
static outcome descriptors()
{
    const unsigned long long ignored = 0x3fffull << 16;
    outcome o;

    bits(o, descriptor_k_128_64[0][0], own().rows);
    bits(o, descriptor_q_192_64[0][0], own().rows);
    bits(o, descriptor_v_128_128[0][0], own().panels_128);
    bits(o, descriptor_v_128_64[0][0], own().panels_64);
    bits(o, descriptor_v_64_128[0][0], own().panels_128 & ~ignored);
    bits(o, descriptor_q8_192_64[0][0], own().e4m3_64);
    bits(o, descriptor_k8_128_128[0][0], own().e4m3_128);
    return o;
}
static added a4("descriptors, bit by bit", descriptors,
                [] { descriptor_v_128_128[0][0] ^= 1ull << 20; });

/* bytes_on: from the first block to each other one of a tile. */
template <int R, int C, class F>
static void steps(outcome &o, const unsigned long long (&d)[R][C], F bytes)
{
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            o.equal(d[r][c] == bytes_on(d[0][0], bytes(r, c)));
}

/* start_scores: 64 rows on, and 16 columns on in panels of rows_of_tile. */
template <int R, int C>
static void by_rows(outcome &o, const unsigned long long (&d)[R][C],
                    int rows_of_tile)
{
    steps(o, d, [=](int r, int c) {
        return r * 64 * 128 + c * 16 / 64 * rows_of_tile * 128 +
               c * 16 % 64 * 2;
    });
}

static outcome walks()
{
    auto e4m3_64 = [](int r, int c) { return r * 64 * 64 + c * 32; };
    auto e4m3_128 = [](int r, int c) { return r * 64 * 128 + c * 32; };
    auto keys = [](int, int c) { return c * 16 * 128; };
    outcome o;

    by_rows(o, descriptor_q_64_64, 64);
    by_rows(o, descriptor_q_64_128, 64);
    by_rows(o, descriptor_q_128_64, 128);
    by_rows(o, descriptor_q_128_128, 128);
    by_rows(o, descriptor_q_192_64, 192);
    by_rows(o, descriptor_k_128_64, 128);
    by_rows(o, descriptor_k_128_128, 128);
    by_rows(o, descriptor_k_64_128, 64);
    steps(o, descriptor_q8_192_64, e4m3_64);
    steps(o, descriptor_k8_128_64, e4m3_64);
    steps(o, descriptor_q8_128_128, e4m3_128);
    steps(o, descriptor_k8_128_128, e4m3_128);
    steps(o, descriptor_v8_64_128, e4m3_128);
    steps(o, descriptor_v8_128_128, e4m3_128);
    steps(o, descriptor_v_64_128, keys);
    steps(o, descriptor_v_128_128, keys);
    steps(o, descriptor_v_128_64, keys);
    return o;
}
static added a5("bytes_on: every step of 17 tiles", walks,
                [] { descriptor_q_192_64[2][1] ^= 2; });
