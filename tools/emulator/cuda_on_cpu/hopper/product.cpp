/* product.cpp: executes products; loads and stores accumulators. docs/hopper.md
 * draws the layout of the sum in the registers of 128 threads. */
#include <string.h>

#include "tools/emulator/cuda_on_cpu/hopper/warpgroup.h"
#include "tools/emulator/cuda_on_cpu/settings.h"
#include "tools/emulator/cuda_on_cpu/tensor_sum.h"

namespace
{
using namespace emu;

/* Return the row and the column of register i of a lane in the 64 x N sum. */
int row_of(unsigned lane, int i)
{
    return (int)lane / 32 * 16 + (int)lane % 32 / 4 + i / 2 % 2 * 8;
}
int column_of(unsigned lane, int i)
{
    return i / 4 * 8 + (int)lane % 4 * 2 + i % 2;
}

/* Reads A from four registers of each lane, in mma.sync's layout (ptx.h). */
void read_fragments(const Product &p, float (&A)[32][64])
{
    for (unsigned l = 0; l < lanes; l++)
        for (int i = 0; i < 4; i++) {
            int row = (int)l / 32 * 16 + (int)l % 32 / 4 + i % 2 * 8;
            int n = p.what.e4m3 ? 4 : 2; /* elements in a register */
            for (int h = 0; h < n; h++) {
                unsigned bits = p.a[l][i] >> 32 / n * h;
                A[((int)l % 4 + i / 2 * 4) * n + h][row] =
                    p.what.e4m3 ? from_e4m3((uint8_t)bits)
                                : from_bf16((uint16_t)bits);
            }
        }
}

void sum_like_hardware(Accumulator &c, const float *A, const float *B,
                       int depth, const Wgmma &w)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < w.N; j++)
            c.sum[i][j] = tensor_sum(c.sum[i][j], A + i, 64, B + j, max_n,
                                     depth, w.e4m3 ? 14 : 25);
}
} // namespace

void emu::compute(Warpgroup &g)
{
    static float A[32][64], B[32][max_n];
    Product &p = g.under_way.front();
    Accumulator &c = g.accumulators[p.accumulator];
    Operand b = {p.what.B, p.what.transposed, p.what.e4m3};
    if (p.what.a)
        read_fragments(p, A);
    else
        read_operand({p.what.A, p.what.A_transposed, p.what.e4m3}, 64, A[0],
                     64);
    read_operand(b, p.what.N, B[0], max_n);
    if (!p.what.add)
        memset(c.sum, 0, sizeof c.sum);
    if (like_hardware)
        sum_like_hardware(c, A[0], B[0], b.depth(), p.what);
    for (int i = 0; i < 64 && !like_hardware; i++)
        for (int k = 0; k < b.depth(); k++)
            for (int j = 0; j < p.what.N; j++)
                c.sum[i][j] += A[k][i] * B[k][j];
    g.under_way.pop_front();
    g.computed++;
}

Accumulator &emu::accumulator_for(Warpgroup &g, const Wgmma &w)
{
    size_t at = g.accumulators.size();
    for (size_t i = 0; i < g.accumulators.size(); i++) {
        Accumulator &c = g.accumulators[i];
        if (c.to_take == lanes && c.d[0] == w.d)
            return c;
        if (c.to_take == 0)
            at = i;
    }
    if (at == g.accumulators.size())
        g.accumulators.emplace_back();
    Accumulator &c = g.accumulators[at];
    memset(&c, 0, sizeof c);
    c.N = w.N;
    c.to_take = lanes;
    for (unsigned l = 0; l < lanes; l++) {
        c.d[l] = g.given[l]->d;
        for (int i = 0; i < w.N / 2; i++)
            c.sum[row_of(l, i)][column_of(l, i)] = c.d[l][i];
        memset(c.d[l], 0xff, (size_t)w.N / 2 * sizeof(float));
    }
    return c;
}

void emu::take(Warpgroup &g, unsigned lane, uint64_t upto)
{
    for (Accumulator &c : g.accumulators) {
        if (!c.to_take || c.taken[lane] || c.last >= upto)
            continue;
        for (int i = 0; i < c.N / 2; i++)
            c.d[lane][i] = c.sum[row_of(lane, i)][column_of(lane, i)];
        c.taken[lane] = true;
        c.to_take--;
    }
}
