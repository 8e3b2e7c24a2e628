/* collectives.h: the warp's matrix instructions (matrix.cpp). argument[l] is
 * what lane l gave; all 32 are there. */
#pragma once
#include "include/emulated/language.h"
#include "include/emulated/warp.h"

namespace emu
{
void mma_all(WarpOp op, void *const argument[32]);
void ldmatrix_all(WarpOp op, void *const argument[32]);
} // namespace emu
