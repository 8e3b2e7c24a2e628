/* collectives.h: the warp functions. */
#pragma once
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/warp.h"

namespace emu
{
const char *name_of(WarpOp op);

/* PTX's .aligned: all 32 lanes execute the same instruction. */
bool is_aligned(WarpOp op);

/* The lanes that execute a warp function together, and their arguments. */
struct Gathered {
    unsigned first, mask;
    void *argument[32];
};

/* Runs the operation for all lanes. */
void run_warp_op(WarpOp op, const Gathered &lanes, Site site);

/* The matrix instructions (matrix.cpp), for all 32 lanes. argument[l] is the
 * argument of lane l. */
void mma_all(WarpOp op, void *const argument[32]);
void ldmatrix_all(WarpOp op, void *const argument[32]);

void cp_async_start_block(); /* removes all copies */
} // namespace emu
