/* matrix.cpp: mma.sync and ldmatrix, with the layouts of the PTX manual. ptx.h
 * draws the layouts, with g = lane / 4 and t = lane % 4. */
#include "tools/emulator/cuda_on_cpu/include/cuda_bf16.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/instructions.h"

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/warp/collectives.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/tensor_sum.h"

namespace
{
/* Returns element h of a register, which has one tf32 or two of 16 bits. */
float element(emu::WarpOp op, unsigned bits, int h)
{
    uint16_t half = (uint16_t)(bits >> 16 * h);
    return op == emu::WarpOp::m16n8k8_tf32    ? emu::from_tf32(bits)
           : op == emu::WarpOp::m16n8k16_bf16 ? emu::from_bf16(half)
                                              : emu::from_fp16(half);
}

struct Ldmatrix {
    unsigned *r;
    int n;
    uint16_t row[8];
};
} // namespace

void emu::mma_all(WarpOp op, void *const argument[32])
{
    float A[16][16] = {}, B[16][8] = {};
    int n = op == WarpOp::m16n8k8_tf32 ? 1 : 2; /* elements in a register */
    for (int lane = 0; lane < 32; lane++) {
        const Mma &m = *static_cast<Mma *>(argument[lane]);
        int g = lane / 4, t = lane % 4;
        for (int h = 0; h < n; h++) {
            for (int i = 0; i < 4; i++)
                A[g + 8 * (i % 2)][n * (t + 4 * (i / 2)) + h] =
                    element(op, m.a[i], h);
            for (int i = 0; i < 2; i++)
                B[n * (t + 4 * i) + h][g] = element(op, m.b[i], h);
        }
    }
    for (int lane = 0; lane < 32; lane++) {
        float *c = static_cast<Mma *>(argument[lane])->c;
        for (int i = 0; i < 4; i++) {
            int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
            float sum = 0;
            for (int k = 0; k < 16; k++)
                sum += A[row][k] * B[k][column];
            c[i] = like_hardware
                       ? tensor_sum(c[i], A[row], 1, &B[0][column], 8, 16, 25)
                       : c[i] + sum;
        }
    }
}

void emu::ldmatrix_all(WarpOp op, void *const argument[32])
{
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < static_cast<Ldmatrix *>(argument[lane])->n; i++) {
            int g = lane / 4, t = lane % 4;
            unsigned pair[2];
            for (int h = 0; h < 2; h++) {
                int row = op == WarpOp::ldmatrix ? g : 2 * t + h;
                int column = op == WarpOp::ldmatrix ? 2 * t + h : g;
                pair[h] =
                    static_cast<Ldmatrix *>(argument[8 * i + row])->row[column];
            }
            static_cast<Ldmatrix *>(argument[lane])->r[i] = pair[0] | pair[1]
                                                                          << 16;
        }
}

/* Each lane reads its own row, so that a finding names the lane with the wrong
 * address. For n < 4 only the first 8 n lanes read a row. */
void emu::ldmatrix(WarpOp op, unsigned *r, const void *row, Site at, int n)
{
    Ldmatrix l = {r, n, {}};
    uintptr_t pc = PC;
    if (running_thread() % 32 < 8u * (unsigned)n) {
        Unwatched quiet;
        access_shared(row, sizeof l.row, Kind::read, pc);
        __builtin_memcpy(l.row, row, sizeof l.row);
    }
    warp_call(op, 0xffffffffu, &l, at);
}
