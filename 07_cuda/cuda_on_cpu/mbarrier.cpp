/* mbarrier.cpp: barriers in shared memory that count arrivals, and bytes that
 * TMA brings. Their phases are numbered from 0; a phase is over when `count`
 * threads have arrived and every byte that was announced has landed. Who
 * waits names the phase by its last bit, the parity; a new barrier counts as
 * if phase -1, of parity 1, were over. Page: docs/hopper.md. */
#include "mbarrier.h"

#include <string.h>

#include <deque>

#include "access.h"
#include "asynchronous.h"
#include "findings.h"
#include "include/cuda_bf16.h"
#include "include/emulated/ptx_hopper_cpu.h"
#include "scheduler.h"
#include "settings.h"
#include "shared.h"

#define PC (uintptr_t) __builtin_return_address(0)

namespace
{
using namespace emu;

std::deque<Mbarrier> barriers; /* of this block */

struct Waiting {
    Mbarrier *on; /* null: not waiting, or let go and seen */
    unsigned parity;
    uintptr_t pc;
} waiting[max_threads];

Mbarrier *find(const void *p)
{
    for (Mbarrier &b : barriers)
        if (b.at == p)
            return &b;
    return nullptr;
}

bool phase_over(const Mbarrier &b, unsigned parity)
{
    return ((b.phase - 1) & 1) == parity;
}

/* Whoever was let go has not looked yet, and the barrier has gone on: on a
 * GPU it might find the parity turned round again, and wait for ever. */
void check_overtaken(const Mbarrier &b, uintptr_t pc)
{
    for (unsigned t = 0; t < threads_in_block(); t++)
        if (waiting[t].on == &b && fibers[t].wait == Wait::nothing)
            finding("mbarrier", pc,
                    "%s ends phase %u before thread %s, which waits for the "
                    "one before, has looked: it may wait for ever",
                    mbarrier_name(b).c_str(), b.phase, thread_name(t).c_str());
}
} // namespace

uint32_t emu::new_moment()
{
    static uint32_t last;
    return ++last;
}

std::string emu::mbarrier_name(const Mbarrier &b)
{
    return shared_name((uintptr_t)b.at - shared_range.low);
}

Mbarrier &emu::mbarrier_at(const void *p, uintptr_t pc)
{
    Mbarrier *b = find(p);
    if (!b) {
        finding("mbarrier", pc, "no mbarrier was initialised at this address");
        kill_launch(cudaErrorIllegalAddress);
    }
    if (!emu::is_over(b->by, b->by_epoch, b->by_clock))
        finding("mbarrier", pc,
                "%s is used, and no barrier came since thread %s initialised "
                "it",
                mbarrier_name(*b).c_str(), thread_name(b->by).c_str());
    return *b;
}

void emu::mbarrier_init(void *p, unsigned count)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    touch_shared(p, 8, Kind::write, pc);
    Mbarrier *b = find(p);
    if (b)
        finding("mbarrier", pc, "%s is initialised again",
                mbarrier_name(*b).c_str());
    else {
        barriers.emplace_back();
        b = &barriers.back();
    }
    memset(b, 0, sizeof *b);
    b->at = p;
    b->count = count;
    b->by = now.me;
    b->by_epoch = now.epoch;
    b->by_clock = my_clock();
    b->moment = new_moment();
}

void emu::fence_mbarrier_init()
{
    Unwatched quiet;
    for (Mbarrier &b : barriers)
        if (b.by == now.me)
            b.fenced = true;
}

/* ANCHOR: phase */
void emu::complete_phase(Mbarrier &b, uintptr_t pc)
{
    if (b.arrived < b.count || b.bytes)
        return;
    if (b.copies)
        finding("mbarrier", pc,
                "%s ends phase %u while copies are under way: fewer bytes "
                "were announced than are copied",
                mbarrier_name(b).c_str(), b.phase);
    else if (b.agent)
        b.open[b.agent] = b.moment; /* the copies of this phase are over */
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
/* ANCHOR_END: phase */

void emu::mbarrier_arrive(void *p, unsigned bytes)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    Mbarrier &b = mbarrier_at(p, pc);
    if (b.arrived == b.count) {
        finding("mbarrier", pc, "%s: one arrival more than its count of %u",
                mbarrier_name(b).c_str(), b.count);
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
        waiting[me] = {&b, parity & 1, pc};
        wait_for(Wait::copies, pc);
        waiting[me].on = nullptr;
    }
    learn(now.me, b.done);
}

std::string emu::awaited_mbarrier(unsigned thread)
{
    const Mbarrier &b = *waiting[thread].on;
    return mbarrier_name(b) + ", parity " +
           std::to_string(waiting[thread].parity) + " (phase " +
           std::to_string(b.phase) + " is open: " + std::to_string(b.arrived) +
           " of " + std::to_string(b.count) + " arrivals, " +
           std::to_string(b.bytes) + " bytes to come)";
}

void emu::mbarriers_start_block()
{
    barriers.clear();
    memset(waiting, 0, sizeof waiting);
}
