/* asynchronous.h: copies by TMA (tma.cpp), additions by TMA (bulk.cpp),
 * products by wgmma (wgmma.cpp), mbarriers (mbarrier.cpp), named barriers and
 * setmaxnreg (named_barrier.cpp). A copy is executed when no thread can run, or
 * at a random time with CUDA_ON_CPU_SEED. An addition or a product is executed
 * when a thread waits for it. Before that, the destination of a copy or product
 * has NaNs. So a missing wait changes the numbers. Page: docs/hopper.md. */
#pragma once
#include <stdint.h>

#include <string>

#include "tools/emulator/cuda_on_cpu/races/order.h"

namespace emu
{
void async_start_block();
void async_end_block(); /* call it when all threads have returned */

/* Executes one copy: the oldest, or with CUDA_ON_CPU_SEED a random one. Returns
 * false if there is none. */
bool land_a_copy();

/* Returns what a thread in Wait::group, copies or named waits for: "K_full[1],
 * parity 0 (phase 0 is open: 0 of 1 arrivals, ...)". Otherwise returns "". */
std::string awaited(unsigned thread);

/* async_start_block, async_end_block and awaited call these functions: */
void mbarriers_start_block();
void named_start_block();
void tma_start_block();
void bulk_start_block();
void wgmma_start_block();
void registers_start_block();
void tma_end_block();
void bulk_end_block();
void wgmma_end_block();
void registers_end_block();
std::string awaited_mbarrier(unsigned thread);
std::string awaited_named(unsigned thread);

struct Mbarrier {
    const void *at;
    std::string name;
    unsigned count; /* arrivals that a phase needs */
    unsigned arrived;
    unsigned phase;    /* number of the open phase, from 0 */
    long bytes;        /* expected bytes that are not yet copied */
    unsigned copies;   /* issued copies that are not yet executed */
    bool fenced;       /* fence_mbarrier_init was called after mbarrier_init */
    Actor by;          /* the thread that called mbarrier_init */
    uint32_t by_epoch; /* time of mbarrier_init */
    uint32_t by_clock;
    Actor agent;               /* actor of the copies, or 0 before the first */
    uint32_t moment;           /* the agent's clock in the open phase */
    uint32_t open[max_actors]; /* board of the open phase */
    uint32_t done[max_actors]; /* board of the complete phases */
};

/* Returns the mbarrier at this address. Ends the launch if there is none.
 * Reports a finding if no barrier was reached since the initialisation. */
Mbarrier &mbarrier_at(const void *p, uintptr_t pc);

/* If the open phase has all its arrivals and bytes, begins a new phase and
 * releases the threads that wait for the old one. */
void complete_phase(Mbarrier &b, uintptr_t pc);

/* Returns a new clock for an agent. It is larger than all earlier ones. */
uint32_t new_moment();
} // namespace emu
