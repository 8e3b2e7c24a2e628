/* fragments.h: the arrays of a thread that wgmma uses as registers. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "07_cuda/cuda_on_cpu/races/shadow.h"

namespace emu
{
/* Every access to a thread's own memory comes by here. */
void touch_fragment(uintptr_t p, size_t bytes, Kind kind, uintptr_t pc);

/* The thread gives this array to wgmma number `n` of its warpgroup. */
void use_fragment(unsigned thread, const void *p, size_t bytes, bool written,
                  uint64_t n, uintptr_t pc);

/* The thread has waited for all numbers below n. */
void free_fragments(unsigned thread, uint64_t n);

void fence_fragments(unsigned thread); /* wgmma_fence */
void forget_fragments();               /* a block begins */
} // namespace emu
