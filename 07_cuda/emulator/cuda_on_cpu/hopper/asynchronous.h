/* asynchronous.h: what goes on while threads do: copies by TMA (tma.cpp), its
 * additions (bulk.cpp), and products by wgmma (wgmma.cpp). Threads wait for
 * them (mbarrier.cpp). Nothing happens when they are issued: a copy lands when
 * no thread can go on, a product is computed when a thread waits for it, and
 * until then NaNs are in their place. So a missing wait shows in the numbers,
 * and is reported by the rules for races. Page: docs/hopper.md. */
#pragma once
#include <stdint.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/races/order.h"

namespace emu
{
void async_start_block();
void async_end_block(); /* every thread has returned */

/* Carries out one copy: the oldest, or with CUDA_ON_CPU_SEED a random one.
 * False if there was none. */
bool land_a_copy();

/* "K_full[1], parity 0 (phase 0 is open: 0 of 1 arrivals, ...)": what a thread
 * in Wait::group, copies or named waits for; "" in the others. */
std::string awaited(unsigned thread);

/* Of each half of that: */
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

/* An mbarrier, as the copies that it counts see it. */
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
