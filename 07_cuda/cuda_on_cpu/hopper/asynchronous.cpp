/* asynchronous.cpp: see asynchronous.h. */
#include "07_cuda/cuda_on_cpu/hopper/asynchronous.h"

#include "07_cuda/cuda_on_cpu/machine.h"

void emu::async_start_block()
{
    mbarriers_start_block();
    named_start_block();
    tma_start_block();
    bulk_start_block();
    wgmma_start_block();
    registers_start_block();
}

void emu::async_end_block()
{
    tma_end_block();
    bulk_end_block();
    wgmma_end_block();
    registers_end_block();
}

std::string emu::awaited(unsigned thread)
{
    switch (fibers[thread].wait) {
    case Wait::copies:
        return awaited_mbarrier(thread);
    case Wait::named:
        return awaited_named(thread);
    case Wait::group:
        return "the rest of its warpgroup, in wgmma";
    default:
        return "";
    }
}
