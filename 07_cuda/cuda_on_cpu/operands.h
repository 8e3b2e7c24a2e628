/* operands.h: the matrices that wgmma reads from shared memory. */
#pragma once
#include <stdint.h>

namespace emu
{
/* One operand, described by a descriptor: rows (of A: 64, of B^T: N) of 16
 * elements; or transposed, 16 rows of so many elements. */
struct Operand {
    uint64_t descriptor;
    bool transposed;
};

/* Reports reads of rows first..first+n by the acting agent that are races,
 * out of bounds, of nothing written. Ends the launch if it must. */
void check_operand(const Operand &o, int first, int n, uintptr_t pc);

/* out[k * stride + i] for i < n, k < 16 */
void read_operand(const Operand &o, int n, float *out, int stride);
} // namespace emu
