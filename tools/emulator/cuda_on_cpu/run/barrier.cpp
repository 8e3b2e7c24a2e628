/* barrier.cpp: __syncthreads, and the report of a deadlock. */
#include "tools/emulator/cuda_on_cpu/hopper/asynchronous.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

#include <string.h>

#include <set>

namespace
{
using namespace emu;

bool same(Site a, Site b)
{
    return a.line == b.line && !strcmp(a.file, b.file);
}

/* Returns text like "thread (3,0,0) waits at line 12 in a warp function". */
std::string whereabouts(unsigned t)
{
    const Fiber &f = fibers[t];
    std::string name = "thread " + thread_name(t);
    if (f.wait == Wait::finished)
        return name + " has returned";
    std::string line = " line " + std::to_string(f.place.resolve().line);
    if (f.wait == Wait::barrier)
        return name + " waits at" + line + " in __syncthreads";
    if (f.wait == Wait::warp)
        return name + " waits at" + line + " in a warp function";
    if (f.wait == Wait::group || f.wait == Wait::copies ||
        f.wait == Wait::named)
        return name + " waits at" + line + " for " + awaited(t);
    Index g = builtins.grid_dim;
    return name + " polls a value at" + line +
           (g.x * g.y * g.z > 1 ? " that no thread of this block changes "
                                  "(blocks run one after the other here)"
                                : " that no thread changes");
}

/* The programming guide requires that all threads of the block reach the same
 * __syncthreads. Some GPUs do not require this. */
void check_barrier(unsigned first)
{
    for (unsigned t = 0; t < threads_in_block(); t++) {
        bool gone = fibers[t].wait == Wait::finished;
        if (!gone && same(fibers[t].place.site, fibers[first].place.site))
            continue;
        report_as(first);
        finding("barrier", fibers[first].place,
                "__syncthreads is not reached by every thread: %s",
                whereabouts(t).c_str());
        return;
    }
}
} // namespace

void emu::barrier(Site at)
{
    wait_for(Wait::barrier, at);
}

static int votes, counted;

int emu::barrier_count(bool vote, Site at)
{
    votes += vote;
    barrier(at);
    return counted;
}

bool emu::release_barrier()
{
    int first = -1;
    for (unsigned t = 0; t < threads_in_block(); t++) {
        if (fibers[t].wait == Wait::barrier) {
            if (first < 0)
                first = (int)t;
        } else if (fibers[t].wait != Wait::finished)
            return false; /* another thread may still arrive */
    }
    if (first < 0)
        return false;
    check_barrier((unsigned)first);
    for (unsigned t = 0; t < threads_in_block(); t++)
        if (fibers[t].wait == Wait::barrier)
            fibers[t].wait = Wait::nothing;
    counted = votes;
    votes = 0;
    order_all();
    note_progress();
    counts.barriers++;
    return true;
}

/* Names one thread for each kind of wait, each mbarrier and named barrier. */
void emu::report_deadlock()
{
    std::string all;
    std::set<std::string> seen;
    int first = -1;
    Wait kinds[] = {Wait::turn,  Wait::warp,    Wait::group,   Wait::copies,
                    Wait::named, Wait::barrier, Wait::finished};
    for (Wait kind : kinds)
        for (unsigned t = 0; t < threads_in_block(); t++) {
            const Fiber &f = fibers[t];
            if (f.wait != kind ||
                !seen.insert(std::to_string((int)kind) + awaited(t)).second)
                continue;
            if (first < 0)
                first = (int)t;
            all += (all.empty() ? "" : "; ") + whereabouts(t);
        }
    report_as((unsigned)first);
    finding("deadlock", fibers[first].place, "no thread can go on: %s",
            all.c_str());
}
