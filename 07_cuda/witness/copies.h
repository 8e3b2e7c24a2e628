/* mbarriers: what lies in shared memory in a form that PTX hides. */
#pragma once
#include "07_cuda/witness/opcode.h"

struct Mbarrier { /* the 8 bytes of shared memory that it has */
    u64 expected : 20, pending : 20; /* arrivals, of a phase */
    s64 bytes : 22;                  /* that TMA owes */
    u64 phase : 1;
    u64 is_new : 1; /* no fence has shown it to TMA */
};

Mbarrier &mbarrier_at(Warp &w, const Instruction &in, u64 at);
/* Something came; a phase for which everything has come ends here. */
void came(Warp &w, Mbarrier &b);

/* The driver's function, as a program asks the runtime for it; null: another. */
void *driver_function(const char *name);
