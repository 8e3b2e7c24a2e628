/* mbarriers and tensor maps: what lies in memory in a form that PTX hides. */
#pragma once
#include "07_cuda/witness/opcode.h"

struct Mbarrier { /* the 8 bytes of shared memory that it has */
    u64 expected : 20, pending : 20; /* arrivals, of a phase */
    s64 bytes : 22;                  /* that TMA owes */
    u64 phase : 1;
    u64 is_new : 1; /* no fence has shown it to TMA */
};

Mbarrier read_mbarrier(Warp &w, const Instruction &in, u32 at);
/* A phase for which everything has come ends here. */
void write_mbarrier(Warp &w, const Instruction &in, u32 at, Mbarrier b);

/* The driver's function, as a program asks the runtime for it; null: another. */
void *driver_function(const char *name);

/* Ends the program if TMA or wgmma would see 16 bytes without a fence. */
inline void check_fenced(Warp &w, const Instruction &in, u32 at)
{
    if (u8 by = w.block->unfenced[(at - SHARED_BASE) / 16])
        wrong(w, in,
              "%u of shared memory: what warp %d stored there was not fenced "
              "(fence.proxy.async)",
              at - SHARED_BASE, by - 1);
}
