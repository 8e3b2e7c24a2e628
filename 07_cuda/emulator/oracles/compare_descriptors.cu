/*
 * The descriptors that the kernels make, and how bytes_on walks along a tile.
 */
#include "07_cuda/emulator/oracles/comparison.h"
#include "07_cuda/ptx/ptx_hopper.h"

extern __shared__ char smem[];

/* What the device functions say. */
struct formulas {
    unsigned long long at, rows, panels_128, panels_64, e4m3_64, e4m3_128;
};

static __global__ void ask(formulas *f)
{
    f->at = shared_address(smem);
    f->rows = wgmma_operand(smem);
    f->panels_128 = wgmma_operand(smem, 128 * 128);
    f->panels_64 = wgmma_operand(smem, 64 * 128);
    f->e4m3_64 = wgmma_operand_e4m3(smem, 64);
    f->e4m3_128 = wgmma_operand_e4m3(smem, 128);
}

/* Bit by bit, less the address of the tile. */
static void bits(outcome &o, const formulas &f, unsigned long long cute,
                 unsigned long long ours)
{
    for (int b = 0; b < 64; b++)
        o.equal((cute >> b & 1) == ((ours - (f.at >> 4)) >> b & 1));
}

/* For d 64 V is one panel wide: wgmma then ignores the distance to the next,
 * bits 16 to 29, and CuTe leaves it 0. */
static outcome descriptors()
{
    const unsigned long long ignored = 0x3fffull << 16;
    formulas *on_device = device(std::vector<formulas>(1)), f;
    outcome o;

    ask<<<1, 1, 1024>>>(on_device);
    f = host(on_device, 1)[0];
    bits(o, f, descriptor_k_128_64[0][0], f.rows);
    bits(o, f, descriptor_q_192_64[0][0], f.rows);
    bits(o, f, descriptor_v_128_128[0][0], f.panels_128);
    bits(o, f, descriptor_v_128_64[0][0], f.panels_64);
    bits(o, f, descriptor_v_64_128[0][0], f.panels_128 & ~ignored);
    bits(o, f, descriptor_q8_192_64[0][0], f.e4m3_64);
    bits(o, f, descriptor_k8_128_128[0][0], f.e4m3_128);
    return o;
}
static added a1("descriptors, bit by bit", descriptors);

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
static added a2("bytes_on: every step of 17 tiles", walks);
