/* named_barrier.cpp: bar.sync, bar.arrive and setmaxnreg. A block has named
 * barriers 1 to 15. Each call passes a number of threads, and the barrier opens
 * after so many calls. bar.arrive does not wait. Page: docs/hopper.md. */
#include <string.h>

#include <algorithm>

#include "tools/emulator/cuda_on_cpu/hopper/asynchronous.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/instructions.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

namespace
{
using namespace emu;

struct Named {
    unsigned expected, arrived, waiting;
    bool here[max_threads];
    uint32_t board[max_actors];
} barriers[16];

unsigned number[max_threads]; /* the barrier that a thread waits for */

void check(unsigned id, unsigned threads, uintptr_t pc)
{
    if (id < 1 || id > 15 || threads % 32 || !threads ||
        threads > threads_in_block())
        fatal(cudaErrorIllegalAddress, "barrier", pc,
              "barrier %u of %u threads (allowed: barriers 1 to 15, and a "
              "multiple of 32 threads, at most those of the block)",
              id, threads);
    const Named &b = barriers[id];
    if (b.arrived && b.expected != threads)
        finding("barrier", pc,
                "barrier %u: %u threads here, %u in an earlier call", id,
                threads, b.expected);
    if (b.here[running_thread()])
        finding("barrier", pc,
                "a thread arrives twice at barrier %u before it opens: a GPU "
                "counts this as two threads",
                id);
}

void open(Named &b, unsigned id, uintptr_t pc)
{
    if (!b.waiting)
        finding("barrier", pc, "barrier %u opens, but no thread waits at it",
                id);
    for (unsigned t = 0; t < threads_in_block(); t++)
        if (fibers[t].wait == Wait::named && number[t] == id) {
            learn((Actor)t, b.board);
            fibers[t].wait = Wait::nothing;
        }
    b = {};
    note_progress();
}
} // namespace

void emu::named_barrier(unsigned id, unsigned threads, bool wait)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    unsigned me = running_thread();
    check(id, threads, pc);
    Named &b = barriers[id];
    b.expected = threads;
    b.here[me] = true;
    b.arrived++;
    b.waiting += wait;
    publish(b.board, now.me);
    if (b.arrived == b.expected) {
        if (wait)
            learn(now.me, b.board);
        open(b, id, pc);
    } else if (wait) {
        number[me] = id;
        wait_for(Wait::named, pc);
    }
}

std::string emu::awaited_named(unsigned thread)
{
    const Named &b = barriers[number[thread]];
    return "barrier " + std::to_string(number[thread]) + " (" +
           std::to_string(b.arrived) + " of " + std::to_string(b.expected) +
           " threads)";
}

void emu::named_start_block()
{
    memset(barriers, 0, sizeof barriers);
}

/* setmaxnreg changes the number of registers per thread of a warpgroup. If the
 * block's threads have more than the 65536 registers of a multiprocessor in
 * total, a thread waits for ever on a GPU. */
namespace
{
constexpr unsigned per_multiprocessor = 65536, max_per_thread = 255;

unsigned registers[emu::max_threads];
uintptr_t last_pc;
} // namespace

void emu::registers_start_block()
{
    unsigned each =
        std::min(per_multiprocessor / threads_in_block(), max_per_thread);
    for (unsigned t = 0; t < threads_in_block(); t++)
        registers[t] = each / 8 * 8;
    last_pc = 0;
}

void emu::set_registers(unsigned n, bool more)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    unsigned &mine = registers[running_thread()];
    if (n % 8 || n < 24 || n > 256)
        finding("registers", pc,
                "%u registers (allowed: a multiple of 8, from 24 to 256)", n);
    else if (more ? n < mine : n > mine)
        finding("registers", pc,
                "requests %s registers, but the request is %u and the thread "
                "has %u",
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
    if (last_pc && sum > per_multiprocessor) {
        report_as(0);
        finding("registers", last_pc,
                "the block's threads request %u registers in total; a "
                "multiprocessor has %u",
                sum, per_multiprocessor);
    }
}
