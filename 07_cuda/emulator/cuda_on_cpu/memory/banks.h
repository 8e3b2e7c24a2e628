/* banks.h: what the k-th request of an instruction costs. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <vector>

namespace emu
{
/* One instruction: the addresses that each lane asked for since the lanes
 * last waited for one another, and the sums so far. */
struct Instruction {
    bool global, noted;
    size_t bytes;
    std::vector<size_t> lane[32];
    uint64_t requests, needed, best; /* wavefronts, or sectors if global */
};

void count_shared(Instruction &i, size_t k);
void count_global(Instruction &i, size_t k);
} // namespace emu
