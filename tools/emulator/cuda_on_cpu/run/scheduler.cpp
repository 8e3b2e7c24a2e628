/* scheduler.cpp: runs the threads of a block one after the other, each until it
 * must wait. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/machine.h"

#include <algorithm>

#include "tools/emulator/cuda_on_cpu/hopper/asynchronous.h"
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

emu::Builtins emu::builtins;
emu::Fiber emu::fibers[max_threads];
volatile bool emu::watching;
const char *emu::running_kernel;

namespace
{
using namespace emu;

unsigned n_threads, current;
void *scheduler_stack;
void (*kernel_call)(void *);
void *kernel_arguments;
cudaError_t killed_by; /* the error of kill_launch */
unsigned progress;     /* number of calls of note_progress */

void thread_main()
{
    watching = true;
    kernel_call(kernel_arguments);
    note_progress();
    for (;;)
        wait_for(Wait::finished, Place());
}

void resume(unsigned thread)
{
    report_as(thread);
    now.me = (Actor)thread;
    emu_switch(&scheduler_stack, fibers[thread].stack);
}

void start_threads()
{
    killed_by = cudaSuccess;
    for (unsigned t = 0; t < n_threads; t++) {
        fibers[t].first = fibers[t].stack = fiber_new(t, thread_main);
        fibers[t].wait = Wait::nothing;
        fibers[t].global_moved = fibers[t].shared_loaded = 0;
    }
}
} // namespace

unsigned emu::threads_in_block()
{
    return n_threads;
}

unsigned emu::running_thread()
{
    return current;
}

void emu::report_as(unsigned thread)
{
    current = thread;
    builtins.thread = fibers[thread].index;
}

void emu::note_progress()
{
    progress++;
}

void emu::wait_for(Wait what, Place place)
{
    Fiber &f = fibers[current];
    Unwatched quiet;
    if (unsettled)
        settle();
    if (overdue && what != Wait::finished)
        end_overdue(place);
    f.wait = what;
    f.place = place;
    if (what != Wait::finished)
        counts.private_bytes = std::max(counts.private_bytes,
                                        (uintptr_t)f.first - (uintptr_t)&quiet);
    emu_switch(&f.stack, scheduler_stack);
}

void emu::kill_launch(cudaError_t error)
{
    watching = false;
    killed_by = error;
    for (;;)
        emu_switch(&fibers[current].stack, scheduler_stack);
}

void emu::prepare_threads(Index dim, void (*call)(void *), void *arguments)
{
    kernel_call = call;
    kernel_arguments = arguments;
    n_threads = dim.x * dim.y * dim.z;
    for (unsigned t = 0; t < n_threads; t++)
        fibers[t].index = {t % dim.x, t / dim.x % dim.y, t / (dim.x * dim.y)};
}

std::string emu::place_in_grid()
{
    Index b = builtins.block, t = builtins.thread;
    char text[200];
    if (!running_kernel)
        return "";
    snprintf(text, sizeof text,
             "\n    in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)",
             running_kernel, b.x, b.y, b.z, t.x, t.y, t.z);
    return text;
}

/* --- The order of threads ------------------------------------------------- */

namespace
{
/* A spin loop is a deadlock if this number of its turns changes nothing. */
constexpr unsigned max_turns = 10000;

/* Returns false if no lane can run. */
bool run_warp(unsigned first)
{
    unsigned n = std::min(threads_in_block() - first, 32u);
    bool ran = false;
    do {
        for (unsigned t = first; t < first + n; t++)
            if (fibers[t].wait == Wait::nothing) {
                resume(t);
                if (killed_by != cudaSuccess)
                    return true;
                ran = true;
            }
        count_requests();
    } while (release_warp(first, n));
    return ran;
}

bool can_run(unsigned first)
{
    for (unsigned t = first; t < first + 32 && t < threads_in_block(); t++)
        if (fibers[t].wait == Wait::nothing)
            return true;
    return false;
}

/* With a seed the first warp is random, and some warps are skipped. */
bool run_warps()
{
    unsigned warps = (threads_in_block() + 31) / 32,
             start = random_below(warps);
    bool ran = false;
    for (unsigned w = 0; w < warps; w++) {
        unsigned first = (start + w) % warps * 32;
        if (random_below(3) == 2 && can_run(first))
            ran = true; /* the warp runs in a later call */
        else
            ran |= run_warp(first);
        if (killed_by != cudaSuccess)
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

/* Releases the threads in spin loops, when no other thread can run. Returns
 * false if there are none, or if they change nothing for too long. */
bool release_spinners()
{
    static unsigned turns, seen;
    bool any = false;
    turns = progress == seen ? turns + 1 : 0;
    seen = progress;
    if (turns > max_turns)
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
    limit_block();
    order_block();
    start_threads();
    async_start_block();
    for (;;) {
        if (random_below(4) == 3)
            land_a_copy();
        if (run_warps()) {
            if (killed_by != cudaSuccess)
                return killed_by;
        } else if (all_finished()) {
            async_end_block();
            return cudaSuccess;
        } else if (!release_barrier() && !land_a_copy() &&
                   !release_spinners()) {
            report_deadlock();
            return cudaErrorLaunchFailure;
        }
    }
}
