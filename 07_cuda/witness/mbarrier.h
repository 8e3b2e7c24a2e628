/* An mbarrier, in the 8 bytes of shared memory that it has. PTX doesn't say how
 * it lies there. */
#pragma once
#include "07_cuda/witness/machine.h"

struct Mbarrier {
    u64 expected : 20, pending : 20; /* arrivals, of a phase */
    s64 bytes : 22;                  /* that TMA owes */
    u64 phase : 1;
    u64 is_new : 1; /* no fence has shown it to TMA */
};
static_assert(sizeof(Mbarrier) == 8, "PTX's size");

Mbarrier read_mbarrier(Warp &w, const Instruction &in, u32 at);
/* A phase for which everything has come ends here. */
void write_mbarrier(Warp &w, const Instruction &in, u32 at, Mbarrier b);
