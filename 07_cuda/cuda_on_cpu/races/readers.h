/* readers.h: rows of clocks, one an actor, for words with MANY_READERS. A
 * barrier ends every read before it, so no row outlives an epoch. */
#pragma once
#include "07_cuda/cuda_on_cpu/races/cell.h"

namespace emu
{
uint32_t new_row();         /* of zeros: nobody has read the word */
uint32_t *row(uint32_t i);  /* until the next new_row */
void copy_readers(Cell &c); /* c is a copy: gives it its own row */
void forget_readers();      /* a barrier */
} // namespace emu
