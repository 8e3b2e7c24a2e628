/* register_budget.cpp: setmaxnreg moves registers between warpgroups. A block
 * begins with as many for each thread as its size allows; what all ask for
 * must fit into the multiprocessor's 65536, or those who ask wait for ever. */
#include "07_cuda/cuda_on_cpu/hopper/asynchronous.h"
#include "07_cuda/cuda_on_cpu/findings.h"
#include "07_cuda/cuda_on_cpu/include/cuda_bf16.h"
#include "07_cuda/cuda_on_cpu/include/emulated/ptx_hopper_cpu.h"
#include "07_cuda/cuda_on_cpu/machine.h"

namespace
{
constexpr unsigned of_all = 65536, most = 255;

unsigned registers[emu::max_threads];
uintptr_t last_pc;
} // namespace

void emu::registers_start_block()
{
    unsigned each = of_all / threads_in_block() / 8 * 8;
    for (unsigned t = 0; t < threads_in_block(); t++)
        registers[t] = each < most ? each : most / 8 * 8;
    last_pc = 0;
}

void emu::set_registers(unsigned n, bool more)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    unsigned &mine = registers[running_thread()];
    if (n % 8 || n < 24 || n > 256)
        finding("registers", pc, "%u registers (a multiple of 8, 24 to 256)",
                n);
    else if (more ? n < mine : n > mine)
        finding("registers", pc, "asks for %s registers, %u, and has %u",
                more ? "more" : "fewer", n, mine);
    mine = n;
    if (more || !last_pc)
        last_pc = pc;
}

void emu::registers_end_block()
{
    unsigned sum = 0;
    for (unsigned t = 0; t < threads_in_block(); t++)
        sum += registers[t];
    if (last_pc && sum > of_all) {
        speak_as(0);
        finding("registers", last_pc,
                "the block's threads ask for %u registers in all; a "
                "multiprocessor has %u",
                sum, of_all);
    }
}
