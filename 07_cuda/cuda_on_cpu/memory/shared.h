/* shared.h: where shared memory lies in the address space. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>

#include "07_cuda/cuda_on_cpu/races/shadow.h"

namespace emu
{
/* sm_90's limit for one block, and what a launch gets without asking. */
constexpr size_t dynamic_max = 232448, dynamic_default = 49152;

struct SharedRange {
    uintptr_t low;
    size_t bytes;
    size_t dynamic;    /* where in it smem[] begins */
    uintptr_t segment; /* where the thread-local segment begins */
};
extern SharedRange shared_range;
extern Shadow shared_shadow;
extern size_t dynamic_bytes; /* what this launch asked for */

void shared_init();

/* "tile + 12 bytes": the variable at an offset from shared_range.low. */
std::string shared_name(size_t offset);
} // namespace emu
