/*
 * The emulator's counting of banks and sectors, asked from C (warp_steps.h).
 */
#include "07_cuda/cuda_on_cpu/counts.h"
#include "07_cuda/cuda_on_cpu/hopper/swizzle.h"
#include "07_cuda/cuda_on_cpu/memory/banks.h"
#include "tools/book/steps/warp_steps.h"

cuda_counts emu::counts;

static emu::Instruction instruction_of(const warp_load *w, size_t first,
                                       size_t end)
{
    emu::Instruction i = {};
    i.bytes = w->bytes;
    for (size_t l = first; l < end; l++)
        i.lane[l].push_back(w->at[l]);
    return i;
}

warp_cost warp_cost_of(const warp_load *w, size_t first, size_t end)
{
    emu::Instruction shared = instruction_of(w, first, end), global = shared;
    emu::count_shared(shared, 0);
    emu::count_global(global, 0);
    return {(size_t)shared.needed, (size_t)shared.best, (size_t)global.needed,
            (size_t)global.best};
}

size_t warp_swizzled(size_t at)
{
    return emu::swizzled(at, 128);
}
