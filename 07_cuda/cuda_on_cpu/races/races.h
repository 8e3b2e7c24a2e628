/* races.h: the rules for one cell. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "07_cuda/cuda_on_cpu/races/cell.h"

namespace emu
{
/* What is being done to a cell: the messages need to know where. */
struct Touch {
    const Shadow *shadow;
    size_t offset;
    Kind kind;
    uintptr_t pc;
};

/* Judges and remembers an access to a cell of so many bytes. Returns them if
 * they are read for the first time in this launch, else 0. */
uint64_t touch(Cell &c, unsigned bytes, const Touch &t);
} // namespace emu
