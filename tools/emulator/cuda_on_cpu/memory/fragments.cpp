/* fragments.cpp: checks the registers that a wgmma uses, which are arrays on
 * the thread's stack. While a wgmma is running, no instruction may access its
 * accumulators, or write the registers of its A. If a thread has accessed one
 * of these registers, the next wgmma with this register needs a wgmma_fence. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

#include <vector>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

struct Fragment {
    uintptr_t low, high;
    bool written; /* true for an accumulator, false for registers of A */
    bool in_use;
    bool touched; /* accessed since the last wgmma_fence */
    uint64_t n;   /* number of the last wgmma that uses it */
};

struct Fragments {
    std::vector<Fragment> all;
    uintptr_t low = UINTPTR_MAX, high = 0; /* contains all fragments */
} fragments_of[max_threads];

/* Stack memory is reused: a new fragment replaces unused ones at its place. */
void remove_overlapping(Fragments &f, uintptr_t low, uintptr_t high)
{
    for (size_t i = 0; i < f.all.size();)
        if (!f.all[i].in_use && f.all[i].low < high && low < f.all[i].high)
            f.all.erase(f.all.begin() + (long)i);
        else
            i++;
}
} // namespace

void emu::touch_fragment(uintptr_t p, size_t bytes, Kind kind, uintptr_t pc)
{
    Fragments &mine = fragments_of[running_thread()];
    if (p >= mine.high || p + bytes <= mine.low)
        return;
    for (Fragment &f : mine.all) {
        if (p >= f.high || p + bytes <= f.low)
            continue;
        if (!f.in_use)
            f.touched = true;
        else if (f.written || kind == Kind::write)
            finding("wgmma", pc, "%s %s of a wgmma that was not waited for",
                    verb(kind),
                    f.written ? "an accumulator" : "a register of A");
    }
}

void emu::use_fragment(unsigned thread, const void *p, size_t bytes,
                       bool written, uint64_t n, uintptr_t pc)
{
    Fragments &mine = fragments_of[thread];
    uintptr_t low = (uintptr_t)p, high = low + bytes;
    for (Fragment &f : mine.all)
        if (f.low == low && f.high == high) {
            if (f.touched) {
                report_as(thread);
                finding("wgmma", pc,
                        "%s were accessed since the last wgmma_fence: a "
                        "wgmma_fence is missing before this wgmma",
                        written ? "accumulators" : "registers of A");
            }
            f = {low, high, written, true, false, n};
            return;
        }
    remove_overlapping(mine, low, high);
    mine.all.push_back({low, high, written, true, false, n});
    mine.low = low < mine.low ? low : mine.low;
    mine.high = high > mine.high ? high : mine.high;
}

void emu::free_fragments(unsigned thread, uint64_t n)
{
    for (Fragment &f : fragments_of[thread].all)
        if (f.n < n)
            f.in_use = false;
}

void emu::fence_fragments(unsigned thread)
{
    for (Fragment &f : fragments_of[thread].all)
        f.touched = false;
}

void emu::clear_fragments()
{
    for (unsigned t = 0; t < threads_in_block(); t++)
        fragments_of[t] = Fragments();
}
