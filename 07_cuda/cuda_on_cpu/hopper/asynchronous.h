/* asynchronous.h: what goes on while threads do: copies by TMA (tma.cpp), its
 * additions (bulk.cpp), and products by wgmma (wgmma.cpp), which those wait for who need them
 * (mbarrier.cpp). Nothing of it happens when it is asked for: a copy lands
 * when no thread can go on, a product is computed when somebody waits for it,
 * and until then NaNs are in their place. So a missing wait is seen in the
 * numbers, and told by the rules for races. Page: docs/hopper.md. */
#pragma once
#include <string>

#include "07_cuda/cuda_on_cpu/races/order.h"

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
} // namespace emu
