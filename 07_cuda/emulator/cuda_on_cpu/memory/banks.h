/* banks.h: counts wavefronts and sectors of a warp's requests. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <vector>

namespace emu
{
/* An instruction: the addresses that each lane accessed since the lanes last
 * waited for each other, and the sums of the launch. */
struct Instruction {
    bool global, noted;
    size_t bytes;
    std::vector<size_t> lane[32];
    uint64_t requests, needed, best; /* wavefronts, or sectors if global */
};

/* Add the k-th request of the instruction to the counts. */
void count_shared(Instruction &i, size_t k);
void count_global(Instruction &i, size_t k);
} // namespace emu
