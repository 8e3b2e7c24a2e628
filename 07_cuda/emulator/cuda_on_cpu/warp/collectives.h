/* collectives.h: the warp functions. */
#pragma once
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/warp.h"

namespace emu
{
const char *name_of(WarpOp op);

/* PTX's .aligned: all 32 lanes execute the same instruction. */
bool is_aligned(WarpOp op);

/* The lanes that were let go together, and their arguments. */
struct Gathered {
    unsigned first, mask;
    void *argument[32];
};

/* Runs the operation on what the lanes gave. */
void run_warp_op(WarpOp op, const Gathered &lanes, Site site);

/* The warp's matrix instructions (matrix.cpp). argument[l] is what lane l
 * gave; all 32 are there. */
void mma_all(WarpOp op, void *const argument[32]);
void ldmatrix_all(WarpOp op, void *const argument[32]);

void cp_async_start_block(); /* no copies are under way */
} // namespace emu
