/* threads.cpp: the threads of the block: how one starts, stops and goes on.
 * Page: docs/cuda_on_cpu.md. */
#include "07_cuda/cuda_on_cpu/races/order.h"
#include "07_cuda/cuda_on_cpu/machine.h"

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
cudaError_t killer;
unsigned happened;

void thread_main()
{
    watching = true;
    kernel_call(kernel_arguments);
    note_progress();
    for (;;)
        wait_for(Wait::finished, Place());
}
} // namespace

void emu::resume(unsigned thread)
{
    speak_as(thread);
    now.me = (Actor)thread;
    fiber_switch(&scheduler_stack, fibers[thread].stack);
}

void emu::start_threads()
{
    killer = cudaSuccess;
    for (unsigned t = 0; t < n_threads; t++) {
        fibers[t].stack = fiber_new(t, thread_main);
        fibers[t].wait = Wait::nothing;
    }
}

cudaError_t emu::killed_by()
{
    return killer;
}

unsigned emu::threads_in_block()
{
    return n_threads;
}

unsigned emu::running_thread()
{
    return current;
}

void emu::speak_as(unsigned thread)
{
    current = thread;
    builtins.thread = fibers[thread].index;
}

void emu::note_progress()
{
    happened++;
}

unsigned emu::progress()
{
    return happened;
}

void emu::wait_for(Wait what, Place place)
{
    Fiber &f = fibers[current];
    Unwatched quiet;
    f.wait = what;
    f.place = place;
    fiber_switch(&f.stack, scheduler_stack);
}

void emu::kill_launch(cudaError_t error)
{
    watching = false;
    killer = error;
    for (;;)
        fiber_switch(&fibers[current].stack, scheduler_stack);
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
