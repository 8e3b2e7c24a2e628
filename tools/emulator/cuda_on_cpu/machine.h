/* machine.h: the running block, its threads, and what each thread waits for.
 * run/scheduler.cpp runs the threads until all have returned. */
#pragma once
#include <stdint.h>

#include <string>

#include "tools/emulator/cuda_on_cpu/fiber.h"
#include "tools/emulator/cuda_on_cpu/findings.h"
#include "tools/emulator/cuda_on_cpu/settings.h"
#include "tools/emulator/cuda_on_cpu/source_lines.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/host.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/warp.h"

namespace emu
{
enum class Wait {
    nothing,
    barrier, /* __syncthreads */
    warp,    /* the other lanes of a warp function */
    group,   /* the other lanes of a wgmma */
    copies,  /* a phase of an mbarrier */
    named,   /* bar.sync */
    turn,    /* all other threads, since this one may spin */
    finished
};

struct WarpCall {
    WarpOp op;
    unsigned mask;
    void *argument;
};

struct Fiber {
    void *stack, *first; /* handle of fiber.h, and that of the start */
    Wait wait;
    Place place;
    Index index;
    WarpCall call;                        /* valid if wait is Wait::warp */
    uint64_t global_moved, shared_loaded; /* bytes */
};

extern cuda_counts counts;

extern Fiber fibers[max_threads];
unsigned threads_in_block();
unsigned running_thread();

/* Sets running_thread() and threadIdx, which findings name. */
void report_as(unsigned thread);

/* True while a kernel's code runs. The hooks call access() only then. */
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

/* A place in the kernel: the return address of a function that it calls. */
#define PC (uintptr_t) __builtin_return_address(0)

/* Suspends the running fiber until `what` has happened. */
void wait_for(Wait what, Place place);

/* End the launch with this error, as a GPU does after an illegal address. fatal
 * reports a finding first. Only a fiber may call them. */
[[noreturn]] void kill_launch(cudaError_t error);
[[noreturn]] void fatal(cudaError_t error, const char *kind, Place place,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* limit_block starts the time limit of a block, seconds_per_block. After it
 * `overdue` is true, and end_overdue ends the launch (time_limit.cpp). */
void limit_block();
extern volatile bool overdue;
[[noreturn]] void end_overdue(Place place);

/* Returns the pc at which a signal interrupted the program. */
uintptr_t interrupted_at(void *context);

/* Records an event that a spin loop may be waiting for. */
void note_progress();

/* True for an address in threadIdx, gridDim etc., or in the launch's arguments. */
bool is_argument(const void *p);

/* Prepares a launch: each thread of each block will run call(arguments). */
void prepare_threads(Index block_dim, void (*call)(void *), void *arguments);

/* Runs the block builtins.block. Returns the error that ended it. */
cudaError_t run_block();

/* Returns "\n    in kernel f, block (0,0,0), thread (3,0,0)", or "" outside. */
std::string place_in_grid();
extern const char *running_kernel; /* null if no kernel runs */

/* Release the threads whose wait is over. Return true if there are any.
 * release_warp checks threads first to first + n - 1. */
bool release_warp(unsigned first, unsigned n);
bool release_barrier();

void report_deadlock();
} // namespace emu
