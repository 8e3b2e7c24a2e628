/* mbarrier.cpp: barriers in shared memory that count arrivals of threads and
 * bytes that TMA copies. A phase is complete when it has `count` arrivals and
 * all expected bytes are copied. A thread waits for the parity of a phase. In a
 * new mbarrier, phase 0 is open and phase -1, with parity 1, is complete. Page:
 * docs/hopper.md. */
#include "tools/emulator/cuda_on_cpu/hopper/asynchronous.h"

#include <string.h>

#include <deque>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/instructions.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

namespace
{
using namespace emu;

std::deque<Mbarrier> barriers;

struct Waiting {
    Mbarrier *on; /* null if the thread does not wait */
    unsigned parity;
} waiting[max_threads];

Mbarrier *find(const void *p)
{
    for (Mbarrier &b : barriers)
        if (b.at == p)
            return &b;
    return nullptr;
}

/* For "&full" returns "full". For "&full[s]" returns "full[i]", with the
 * smallest unused i. */
std::string name_of(const char *text)
{
    std::string name = *text == '&' ? text + 1 : text;
    size_t open = name.find('['), close = name.rfind(']');
    if (open == std::string::npos || close == std::string::npos)
        return name;
    std::string begin = name.substr(0, open + 1), end = name.substr(close);
    for (int i = 0;; i++) {
        name = begin + std::to_string(i) + end;
        bool taken = false;
        for (const Mbarrier &b : barriers)
            taken |= b.name == name;
        if (!taken)
            return name;
    }
}

bool phase_over(const Mbarrier &b, unsigned parity)
{
    return ((b.phase - 1) & 1) == parity;
}

/* Reports each thread that waited for the previous phase and has not run since.
 * On a GPU this thread may read the parity too late, and wait for ever. */
void check_overtaken(const Mbarrier &b, uintptr_t pc)
{
    for (unsigned t = 0; t < threads_in_block(); t++)
        if (waiting[t].on == &b && fibers[t].wait == Wait::nothing)
            finding("mbarrier", pc,
                    "%s: phase %u ends before thread %s has run after its wait "
                    "for the previous phase; on a GPU it may wait for ever",
                    b.name.c_str(), b.phase, thread_name(t).c_str());
}
} // namespace

uint32_t emu::new_moment()
{
    static uint32_t last;
    return ++last;
}

Mbarrier &emu::mbarrier_at(const void *p, uintptr_t pc)
{
    Mbarrier *b = find(p);
    if (!b)
        fatal(cudaErrorIllegalAddress, "mbarrier", pc,
              "no mbarrier was initialised at this address");
    if (!emu::is_over(b->by, b->by_epoch, b->by_clock))
        finding("mbarrier", pc,
                "%s is used, but no barrier was reached after thread %s "
                "initialised it",
                b->name.c_str(), thread_name(b->by).c_str());
    return *b;
}

void emu::init_mbarrier(void *p, unsigned count, const char *text)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    touch_shared(p, 8, Kind::write, pc);
    if (find(p))
        finding("mbarrier", pc, "%s is initialised again",
                find(p)->name.c_str());
    barriers.emplace_front();
    Mbarrier &b = barriers.front();
    b.at = p;
    b.name = name_of(text);
    b.count = count;
    b.by = now.me;
    b.by_epoch = now.epoch;
    b.by_clock = my_clock();
    b.moment = new_moment();
}

void emu::fence_mbarrier_init()
{
    Unwatched quiet;
    for (Mbarrier &b : barriers)
        if (b.by == now.me)
            b.fenced = true;
}

void emu::complete_phase(Mbarrier &b, uintptr_t pc)
{
    if (b.arrived < b.count || b.bytes)
        return;
    if (b.copies)
        finding("mbarrier", pc,
                "%s: phase %u ends before its copies are complete: it expects "
                "fewer bytes than are copied",
                b.name.c_str(), b.phase);
    else if (b.agent)
        b.open[b.agent] = b.moment; /* the copies are complete */
    check_overtaken(b, pc);
    memcpy(b.done, b.open, sizeof b.done);
    b.moment = new_moment();
    b.arrived = 0;
    b.phase++;
    for (unsigned t = 0; t < threads_in_block(); t++)
        if (fibers[t].wait == Wait::copies && waiting[t].on == &b &&
            phase_over(b, waiting[t].parity))
            fibers[t].wait = Wait::nothing;
    note_progress();
}

void emu::mbarrier_arrive(void *p, unsigned bytes)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    Mbarrier &b = mbarrier_at(p, pc);
    if (b.arrived == b.count) {
        finding("mbarrier", pc, "%s: more arrivals than its count of %u",
                b.name.c_str(), b.count);
        return;
    }
    b.bytes += bytes;
    b.arrived++;
    publish(b.open, now.me);
    complete_phase(b, pc);
}

void emu::mbarrier_wait(void *p, unsigned parity)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    Mbarrier &b = mbarrier_at(p, pc);
    unsigned me = running_thread();
    if (!phase_over(b, parity & 1)) {
        waiting[me] = {&b, parity & 1};
        wait_for(Wait::copies, pc);
        waiting[me].on = nullptr;
    }
    learn(now.me, b.done);
}

std::string emu::awaited_mbarrier(unsigned thread)
{
    const Mbarrier &b = *waiting[thread].on;
    return b.name + ", parity " + std::to_string(waiting[thread].parity) +
           " (phase " + std::to_string(b.phase) +
           " is open: " + std::to_string(b.arrived) + " of " +
           std::to_string(b.count) + " arrivals, " + std::to_string(b.bytes) +
           " bytes to come)";
}

void emu::mbarriers_start_block()
{
    barriers.clear();
    memset(waiting, 0, sizeof waiting);
}

/* --- All asynchronous operations ------------------------------------------ */

void emu::async_start_block()
{
    mbarriers_start_block();
    named_start_block();
    tma_start_block();
    bulk_start_block();
    wgmma_start_block();
    registers_start_block();
}

void emu::async_end_block()
{
    tma_end_block();
    bulk_end_block();
    wgmma_end_block();
    registers_end_block();
}

std::string emu::awaited(unsigned thread)
{
    switch (fibers[thread].wait) {
    case Wait::copies:
        return awaited_mbarrier(thread);
    case Wait::named:
        return awaited_named(thread);
    case Wait::group:
        return "the other threads of its warpgroup, in wgmma";
    default:
        return "";
    }
}
