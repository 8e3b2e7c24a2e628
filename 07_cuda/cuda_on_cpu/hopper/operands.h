/* operands.h: the matrices that wgmma reads from shared memory. */
#pragma once
#include <stdint.h>

namespace emu
{
/* One operand, described by a descriptor: rows (of A: 64, of B^T: N) of 32
 * bytes, 16 bf16 or 32 e4m3; or transposed, 16 rows of so many bf16. */
struct Operand {
    uint64_t descriptor;
    bool transposed, e4m3;

    int depth() const /* columns, that a product sums over */
    {
        return e4m3 ? 32 : 16;
    }
};

/* Reports reads of rows first..first+n by the acting agent that are races,
 * out of bounds, of nothing written. Ends the launch if it must. */
void check_operand(const Operand &o, int first, int n, uintptr_t pc);

/* out[k * stride + i] for i < n, k < depth */
void read_operand(const Operand &o, int n, float *out, int stride);
} // namespace emu
