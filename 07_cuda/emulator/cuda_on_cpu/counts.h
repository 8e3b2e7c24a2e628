/* counts.h: what the running launch has done so far. */
#pragma once
#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"

namespace emu
{
extern cuda_counts counts;
} // namespace emu
