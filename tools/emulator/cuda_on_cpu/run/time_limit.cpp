/* time_limit.cpp: ends a launch if one block uses too much CPU time. The
 * timer's handler ends it only inside the kernel's own code, which holds no
 * lock of the emulator or of the C library. Elsewhere it sets `overdue`, which
 * ends the launch at the kernel's next access or wait. Also shows cuda-check's
 * progress. */
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

namespace
{
using namespace emu;

constexpr unsigned ticks_per_second = 10;
volatile unsigned ticks; /* timer ticks since the block began */
volatile unsigned all_ticks;

void on_tick(int, siginfo_t *, void *context)
{
    uintptr_t pc = interrupted_at(context);
    Unwatched quiet;
    if (++all_ticks % ticks_per_second == 0)
        show_progress(all_ticks / ticks_per_second);
    if (++ticks <= seconds_per_block * ticks_per_second || !seconds_per_block)
        return;
    overdue = true;
    if (quiet.was && in_program(pc) && !is_emulators(source_line(pc + 1).file))
        end_overdue(pc + 1);
}

void start_timer()
{
    static bool started;
    if (started)
        return;
    started = true;
    struct sigaction action = {};
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    struct itimerval every = {};
    every.it_interval.tv_usec = every.it_value.tv_usec =
        1000000 / ticks_per_second;
    setitimer(ITIMER_PROF, &every, nullptr);
}

/* The program may compute for long before its first launch. */
__attribute__((constructor)) void start_with_cuda_check()
{
    if (!getenv("CUDA_ON_CPU_SUMMARY"))
        return;
    read_settings();
    start_timer();
}
} // namespace

volatile bool emu::overdue;

void emu::end_overdue(Place place)
{
    fatal(cudaErrorLaunchTimeout, "endless", place,
          "this block has run for %u seconds (CUDA_ON_CPU_LIMIT, or --limit of "
          "cuda-check, allows more)",
          seconds_per_block);
}

uintptr_t emu::interrupted_at(void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
#endif
}

void emu::limit_block()
{
    ticks = 0;
    overdue = false;
    if (seconds_per_block)
        start_timer();
}
