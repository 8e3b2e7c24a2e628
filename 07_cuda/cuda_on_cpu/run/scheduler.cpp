/* scheduler.cpp: one fiber after the other, each until it must wait.
 * Page: docs/cuda_on_cpu.md. */
#include "07_cuda/cuda_on_cpu/machine.h"

#include "07_cuda/cuda_on_cpu/hopper/asynchronous.h"
#include "07_cuda/cuda_on_cpu/races/order.h"
#include "07_cuda/cuda_on_cpu/memory/requests.h"
#include "07_cuda/cuda_on_cpu/settings.h"

namespace
{
using namespace emu;

/* A spin loop is given up when so many turns have changed nothing. */
constexpr unsigned hopeless_turns = 10000;

/* ANCHOR: warp */
/* Runs the warp whose first thread is `first` until every lane waits. */
bool run_warp(unsigned first)
{
    unsigned n =
        threads_in_block() - first < 32 ? threads_in_block() - first : 32;
    bool ran = false;
    do {
        for (unsigned t = first; t < first + n; t++)
            if (fibers[t].wait == Wait::nothing) {
                resume(t);
                if (killed_by() != cudaSuccess)
                    return true;
                ran = true;
            }
        count_requests(); /* the lanes' accesses, side by side */
    } while (release_warp(first, n));
    return ran;
}
/* ANCHOR_END: warp */

bool can_run(unsigned first)
{
    for (unsigned t = first; t < first + 32 && t < threads_in_block(); t++)
        if (fibers[t].wait == Wait::nothing)
            return true;
    return false;
}

/* Warps run in order, or from a random one on, some lagging behind. */
bool run_warps()
{
    unsigned warps = (threads_in_block() + 31) / 32,
             start = random_below(warps);
    bool ran = false;
    for (unsigned w = 0; w < warps; w++) {
        unsigned first = (start + w) % warps * 32;
        if (random_below(3) == 2 && can_run(first))
            ran = true; /* not now; come round again */
        else
            ran |= run_warp(first);
        if (killed_by() != cudaSuccess)
            return true;
    }
    return ran;
}

bool all_finished()
{
    for (unsigned t = 0; t < threads_in_block(); t++)
        if (fibers[t].wait != Wait::finished)
            return false;
    return true;
}

/* Nobody else can move: let those that spin look again. */
bool release_spinners()
{
    static unsigned turns, seen;
    bool any = false;
    turns = progress() == seen ? turns + 1 : 0;
    seen = progress();
    if (turns > hopeless_turns)
        return false;
    for (unsigned t = 0; t < threads_in_block(); t++)
        if (fibers[t].wait == Wait::turn) {
            fibers[t].wait = Wait::nothing;
            any = true;
        }
    return any;
}
} // namespace

cudaError_t emu::run_block()
{
    note_progress();
    order_block();
    start_threads();
    async_start_block();
    /* ANCHOR: run */
    for (;;) {
        if (random_below(4) == 3)
            land_a_copy();
        if (run_warps()) {
            if (killed_by() != cudaSuccess)
                return killed_by();
        } else if (all_finished()) {
            async_end_block();
            return cudaSuccess;
        } else if (!release_barrier() && !land_a_copy() &&
                   !release_spinners()) {
            report_deadlock();
            return cudaErrorLaunchFailure;
        }
    }
    /* ANCHOR_END: run */
}
