/* wgmma.cpp: a warpgroup issues D = A B or D += A B to tensor cores. The
 * emulator then fills D, in the registers of 128 threads, with NaNs. When a
 * thread waits, the products of its committed groups are executed. They use the
 * values that A and B have at that time. So an access that is too early gives
 * wrong numbers. fragments.cpp reports it for registers, and races.cpp for
 * shared memory. Page: docs/hopper.md. */
#include "tools/emulator/cuda_on_cpu/hopper/asynchronous.h"
#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/hopper/warpgroup.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

namespace
{
using namespace emu;

Warpgroup groups[max_threads / lanes];

/* Checks that all lanes have the same A, B and add, and may use `a` and d. */
void check_lanes(Warpgroup &g, unsigned first, uintptr_t pc)
{
    const Wgmma &w = *g.given[0];
    for (unsigned l = 0; l < lanes; l++) {
        const Wgmma &other = *g.given[l];
        report_as(first + l);
        if (other.A != w.A || other.B != w.B || other.add != w.add)
            finding("wgmma", pc,
                    "the threads of a warpgroup have different arguments");
        if (!g.fenced[l])
            finding("wgmma", pc,
                    "no wgmma_fence since the kernel began, or since the last "
                    "wgmma_wait");
        if (other.a)
            use_fragment(first + l, other.a, 16, false, g.issued, pc);
        use_fragment(first + l, other.d, (size_t)w.N / 2 * sizeof(float), true,
                     g.issued, pc);
    }
}

/* Each warp reads its own 16 rows of A, and all of B. */
void check_reads(Warpgroup &g, const Wgmma &w, unsigned first, uint32_t moment,
                 uintptr_t pc)
{
    for (unsigned warp = 0; warp < 4 && !w.a; warp++) {
        ActingAs agent(g.agent, moment, first + 32 * warp, 32);
        check_operand({w.A, w.A_transposed, w.e4m3}, 16 * (int)warp, 16, pc);
    }
    ActingAs agent(g.agent, moment, first, lanes);
    check_operand({w.B, w.transposed, w.e4m3}, 0, w.N, pc);
}

void issue(Warpgroup &g, unsigned first, uintptr_t pc)
{
    unsigned me = running_thread();
    const Wgmma &w = *g.given[0];
    Product p = {};
    if (!g.agent)
        g.agent =
            new_agent("a wgmma of warpgroup " + std::to_string(first / lanes));
    p.what = w;
    check_lanes(g, first, pc);
    report_as(me);
    g.moments.push_back(new_moment());
    check_reads(g, w, first, g.moments.back(), pc);
    for (unsigned l = 0; l < lanes; l++)
        p.a[l] = g.given[l]->a;
    Accumulator &c = accumulator_for(g, w);
    c.last = g.issued++;
    p.accumulator = (size_t)(&c - g.accumulators.data());
    g.under_way.push_back(p);
    counts.wgmma++;
}

} // namespace

void emu::wgmma(const Wgmma &w)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    unsigned me = running_thread(), first = me / lanes * lanes;
    Warpgroup &g = groups[me / lanes];
    if (first + lanes > threads_in_block())
        fatal(cudaErrorLaunchFailure, "wgmma", pc,
              "wgmma needs a whole warpgroup: 128 threads");
    if (g.arrived && g.pc != pc)
        fatal(cudaErrorLaunchFailure, "wgmma", pc,
              "other threads of the warpgroup execute another wgmma");
    g.pc = pc;
    g.given[me % lanes] = &w;
    if (++g.arrived < lanes) {
        wait_for(Wait::group, pc);
        return;
    }
    issue(g, first, pc);
    g.arrived = 0;
    for (unsigned t = first; t < first + lanes; t++)
        if (t != me)
            fibers[t].wait = Wait::nothing;
    note_progress();
}

void emu::wgmma_fence()
{
    Unwatched quiet;
    unsigned me = running_thread();
    groups[me / lanes].fenced[me % lanes] = true;
    fence_fragments(me);
}

void emu::wgmma_commit()
{
    Unwatched quiet;
    unsigned me = running_thread();
    Warpgroup &g = groups[me / lanes];
    g.closed[me % lanes].push_back(g.issued);
}

void emu::wgmma_wait(unsigned may_remain)
{
    Unwatched quiet;
    unsigned me = running_thread(), lane = me % lanes;
    Warpgroup &g = groups[me / lanes];
    g.fenced[lane] = false;
    if (g.closed[lane].size() <= may_remain)
        return;
    uint64_t upto = g.closed[lane][g.closed[lane].size() - 1 - may_remain];
    while (g.computed < upto)
        compute(g);
    take(g, lane, upto);
    free_fragments(me, upto);
    if (upto)
        learn_agent(g.agent, g.moments[upto - 1]);
}

void emu::wgmma_start_block()
{
    for (unsigned i = 0; i < threads_in_block() / lanes; i++)
        groups[i] = Warpgroup();
    clear_fragments();
}

void emu::wgmma_end_block()
{
    for (unsigned i = 0; i < threads_in_block() / lanes; i++)
        if (groups[i].computed < groups[i].issued) {
            report_as(i * lanes);
            finding(
                "wgmma", groups[i].pc,
                "the block ends before a thread has waited for this product");
        }
}
