/* mbarrier.h: an mbarrier, as the copies that it counts see it. */
#pragma once
#include <stdint.h>

#include <string>

#include "07_cuda/cuda_on_cpu/races/order.h"

namespace emu
{
struct Mbarrier {
    const void *at;
    std::string name;
    unsigned count, arrived, phase; /* arrived: in this phase */
    long bytes;                     /* expected and not yet landed */
    unsigned copies;                /* under way */
    bool fenced;                    /* since mbarrier_init */
    Actor by;                       /* who initialised it, and when */
    uint32_t by_epoch, by_clock;
    Actor agent;     /* of the copies it counts; 0: none so far */
    uint32_t moment; /* the agent's clock in this phase */
    uint32_t open[max_actors], done[max_actors]; /* boards */
};

/* The one at this address; ends the launch if there is none. */
Mbarrier &mbarrier_at(const void *p, uintptr_t pc);

/* If nothing is missing, a new phase begins and who waited goes on. */
void complete_phase(Mbarrier &b, uintptr_t pc);

/* Moments of agents: each is later than all before. */
uint32_t new_moment();
} // namespace emu
