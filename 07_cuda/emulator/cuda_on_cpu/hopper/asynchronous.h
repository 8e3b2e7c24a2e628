/* asynchronous.h: asynchronous operations: copies by TMA (tma.cpp), additions
 * by TMA (bulk.cpp), and products by wgmma (wgmma.cpp). Threads wait for them
 * (mbarrier.cpp). An operation is not executed when it is issued. A copy is
 * executed when no thread can run, a product when a thread waits for it. Until
 * then the destination contains NaNs. So the numbers show a missing wait, and
 * the rules for races report it. Page: docs/hopper.md. */
#pragma once
#include <stdint.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/races/order.h"

namespace emu
{
void async_start_block();
void async_end_block(); /* after every thread has returned */

/* Executes one copy: the oldest, or with CUDA_ON_CPU_SEED a random one. Returns
 * false if there is none. */
bool land_a_copy();

/* Returns what a thread in Wait::group, copies or named waits for: "K_full[1],
 * parity 0 (phase 0 is open: 0 of 1 arrivals, ...)". Otherwise returns "". */
std::string awaited(unsigned thread);

/* The parts of these functions: */
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
    unsigned count, arrived, phase; /* arrived: in this phase */
    long bytes;                     /* expected and not yet copied */
    unsigned copies;                /* not yet executed */
    bool fenced;                    /* since mbarrier_init */
    Actor by;                       /* thread of mbarrier_init, and time */
    uint32_t by_epoch, by_clock;
    Actor agent;     /* of the copies that it counts; 0: none so far */
    uint32_t moment; /* the agent's clock in this phase */
    uint32_t open[max_actors], done[max_actors]; /* boards */
};

/* Returns the mbarrier at this address; ends the launch if there is none. */
Mbarrier &mbarrier_at(const void *p, uintptr_t pc);

/* If all arrivals and bytes of the phase are there, begins a new phase and
 * releases the threads that wait for it. */
void complete_phase(Mbarrier &b, uintptr_t pc);

/* Returns a new clock for an agent, larger than all before. */
uint32_t new_moment();
} // namespace emu
