/* machine.h: the running block, its threads, and the event that each of them
 * waits for. run/scheduler.cpp runs the threads until all have returned. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/fiber.h"
#include "07_cuda/emulator/cuda_on_cpu/counts.h"
#include "07_cuda/emulator/cuda_on_cpu/findings.h"
#include "07_cuda/emulator/cuda_on_cpu/settings.h"
#include "07_cuda/emulator/cuda_on_cpu/source_lines.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/launch.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/host.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/warp.h"

namespace emu
{
/* What a fiber waits for. */
enum class Wait {
    nothing, /* it can run */
    barrier, /* __syncthreads */
    warp,    /* a warp function's other lanes */
    group,   /* wgmma's other lanes */
    copies,  /* a phase of an mbarrier */
    named,   /* bar.sync */
    turn,    /* the other threads' turns: it may be in a spin loop */
    finished
};

/* A warp function that a lane has called. */
struct WarpCall {
    WarpOp op;
    unsigned mask;
    void *argument;
};

struct Fiber {
    void *stack; /* handle, see fiber.h */
    Wait wait;
    Place place; /* where it waits */
    Index index;
    WarpCall call; /* while it waits for Wait::warp */
};

extern Fiber fibers[max_threads];
unsigned threads_in_block();
unsigned running_thread();
void report_as(unsigned thread); /* the thread that findings name */

/* The hooks look at memory accesses only while this is true: while a kernel's
 * own code runs, and not the emulator's or the host's. */
extern volatile bool watching;
struct Unwatched {
    bool was = watching;
    Unwatched()
    {
        watching = false;
    }
    ~Unwatched()
    {
        watching = was;
    }
};

/* In a function that a kernel calls: the call's place in the kernel. */
#define PC (uintptr_t) __builtin_return_address(0)

/* Called by a fiber: suspends it until `what` has happened. */
void wait_for(Wait what, Place place);

/* Called by a fiber: ends the launch, as an illegal address does; fatal
 * reports a finding first. */
[[noreturn]] void kill_launch(cudaError_t error);
[[noreturn]] void fatal(cudaError_t error, const char *kind, Place place,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* time_limit.cpp: starts the clock of a block, which may run for
 * seconds_per_block. */
void limit_block();
uintptr_t interrupted_at(void *context); /* the pc; of a signal's handler */

/* Notes an event that a spin loop might be waiting for. */
void note_progress();

/* Returns a number that changes at each call of note_progress. */
unsigned progress();

/* Prepares a launch: each thread of each block will run call(arguments). */
void prepare_threads(Index block_dim, void (*call)(void *), void *arguments);
void start_threads();
void resume(unsigned thread); /* until it waits, returns, or is killed */
cudaError_t killed_by();      /* the error that kill_launch was given */
cudaError_t run_block();

/* "  [kernel f, block (0,0,0), thread (3,0,0)]", or "" outside a kernel. */
extern const char *running_kernel; /* null: outside */
std::string place_in_grid();

/* Parts of the scheduler. Each releases the threads that need not wait any
 * longer, and returns true if there were any. */
bool release_warp(unsigned first, unsigned n); /* warp_calls.cpp */
bool release_barrier();                        /* barrier.cpp */
void report_deadlock();                        /* barrier.cpp */
} // namespace emu
