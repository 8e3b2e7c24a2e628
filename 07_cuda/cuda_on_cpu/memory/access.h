/* access.h: one load or store: which memory is it, may it, and count it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "07_cuda/cuda_on_cpu/races/shadow.h"

namespace emu
{
/* pc: the return address of the instruction's hook. */
void access(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* For instructions that reach shared memory only. */
void access_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* Checks such an access and counts nothing: for a cp.async that is only
 * asked for. */
void touch_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc);
} // namespace emu
