/* shadow.h: for every word of global and shared memory, a cell that remembers
 * who wrote it and who read it last, and when (cell.h). */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "07_cuda/cuda_on_cpu/races/cell.h"

namespace emu
{
Shadow shadow_new(size_t bytes, const Array *array);
void shadow_free(Shadow &s);

/* The host has written these bytes. */
void shadow_host_wrote(Shadow &s, size_t offset, size_t bytes);

/* Records an access and reports uninitialised reads and races. Returns how
 * many of the bytes are read for the first time in this launch. */
uint64_t shadow_touch(Shadow &s, size_t offset, size_t bytes, Kind kind,
                      uintptr_t pc);

/* Sets or clears IN_FLIGHT. */
void shadow_in_flight(Shadow &s, size_t offset, size_t bytes, bool in_flight);

void *reserve(size_t bytes); /* address space, zero, or exit */
} // namespace emu
