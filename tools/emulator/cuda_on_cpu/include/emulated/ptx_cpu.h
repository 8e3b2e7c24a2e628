/* ptx_cpu.h: the wrappers that ptx_gpu.h describes. They are always inlined, so
 * that findings name the kernel's line. */
#pragma once
#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "instructions.h"

#define PTX static inline __attribute__((always_inline))

PTX void ldmatrix_x4(unsigned *r, const void *row,
                     emu::Site at = emu::Site::here())
{
    emu::ldmatrix(emu::WarpOp::ldmatrix, r, row, at);
}
PTX void ldmatrix_x4_trans(unsigned *r, const void *row,
                           emu::Site at = emu::Site::here())
{
    emu::ldmatrix(emu::WarpOp::ldmatrix_trans, r, row, at);
}

#define EMU_MMA(name)                                                          \
    PTX void mma_##name(float *c, const unsigned *a, const unsigned *b,        \
                        emu::Site at = emu::Site::here())                      \
    {                                                                          \
        emu::mma(emu::WarpOp::name, c, a, b, at);                              \
    }
EMU_MMA(m16n8k16_bf16)
EMU_MMA(m16n8k16_f16)
EMU_MMA(m16n8k8_tf32)
#undef EMU_MMA

PTX void cp_async_16(void *to, const void *from, int bytes = 16)
{
    emu::cp_async(to, from, 16, (unsigned)bytes);
}
using emu::cp_async_commit;
template <int N> PTX void cp_async_wait()
{
    emu::cp_async_wait(N);
}

PTX unsigned pack_bf16x2(float lo, float hi)
{
    return emu::to_bf16(lo) | (unsigned)emu::to_bf16(hi) << 16;
}
PTX unsigned pack_f16x2(float lo, float hi)
{
    return emu::to_fp16(lo) | (unsigned)emu::to_fp16(hi) << 16;
}

PTX float exp2_approx(float x)
{
    return emu::exp2_approx(x, true);
}

/* Like mma_m16n8k16_f16 above, with sums in fp16, two per register. */
PTX void mma_m16n8k16_f16(unsigned *c, const unsigned *a, const unsigned *b,
                          emu::Site at = emu::Site::here())
{
    emu::mma(emu::WarpOp::m16n8k16_f16, c, a, b, at);
}
