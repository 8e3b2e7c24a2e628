/* warp_calls.cpp: warp functions. A lane that calls one waits; when every
 * lane of the mask has come, the operation runs once, on all their arguments,
 * and the lanes go on. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/cuda_on_cpu/warp/collectives.h"
#include "07_cuda/cuda_on_cpu/findings.h"
#include "07_cuda/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

/* ANCHOR: gather */
/* Has every lane that f's mask names come, with the same call? Lanes that
 * have returned need not. */
bool gather(const Fiber &f, unsigned first, unsigned n, Gathered &g)
{
    g.first = first;
    g.mask = 0;
    for (unsigned l = 0; l < n; l++) {
        const Fiber &other = fibers[first + l];
        if (!(f.call.mask >> l & 1) || other.wait == Wait::finished)
            continue;
        if (other.wait != Wait::warp || other.call.op != f.call.op ||
            other.call.mask != f.call.mask)
            return false;
        if (is_aligned(f.call.op) && other.place.site.line != f.place.site.line)
            return false;
        g.mask |= 1u << l;
        g.argument[l] = other.call.argument;
    }
    return true;
}
/* ANCHOR_END: gather */
} // namespace

bool emu::release_warp(unsigned first, unsigned n)
{
    bool any = false;
    for (unsigned t = first; t < first + n; t++) {
        Gathered g;
        if (fibers[t].wait != Wait::warp || !gather(fibers[t], first, n, g))
            continue;
        speak_as(t);
        run_warp_op(fibers[t].call.op, g, fibers[t].place.site);
        for (unsigned l = 0; l < n; l++)
            if (g.mask >> l & 1)
                fibers[first + l].wait = Wait::nothing;
        note_progress();
        any = true;
    }
    return any;
}

void emu::warp_call(WarpOp op, unsigned mask, void *argument, Site at)
{
    unsigned lane = running_thread() % 32;
    Unwatched quiet;
    if (!(mask >> lane & 1)) {
        finding("warp", at, "lane %u calls %s with a mask (%08x) without it",
                lane, name_of(op), mask);
        mask |= 1u << lane;
    }
    fibers[running_thread()].call = {op, mask, argument};
    wait_for(Wait::warp, at);
}
