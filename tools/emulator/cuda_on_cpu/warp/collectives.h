/* collectives.h: executes the warp functions of include/emulated/warp.h. */
#pragma once
#include <string>

#include "tools/emulator/cuda_on_cpu/include/emulated/language.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/warp.h"

namespace emu
{
const char *name_of(WarpOp op);

/* True if the operation is .aligned in PTX: all 32 lanes must execute it. */
bool is_aligned(WarpOp op);

/* The lanes that execute a warp function together, and their arguments. */
struct Gathered {
    unsigned first, mask;
    void *argument[32];
};

void run_warp_op(WarpOp op, const Gathered &lanes, Site site);

/* argument[l] is the argument of lane l (matrix.cpp). */
void mma_all(WarpOp op, void *const argument[32]);
void ldmatrix_all(WarpOp op, void *const argument[32]);

/* Removes the copies of the previous block. */
void cp_async_start_block();

/* Says which thread's cp.async will write this byte of shared memory, and at
 * which line it was started. pc is the place of the access (line_of). */
std::string copy_under_way(size_t offset, uintptr_t pc);
} // namespace emu
