/* wgmma.cpp: a warpgroup, four warps, asks its tensor core for D = A B or
 * D += A B and goes on. Nothing is computed then: D, in the registers of 128
 * threads, is filled with NaNs, and when a thread waits, all that its group
 * has asked for up to there is computed, with A and B as they are by then. So
 * whoever looks or changes something too early gets wrong numbers; and it is
 * told, by fragments.cpp for registers, and by the rules for races for shared
 * memory, which the tensor core reads as an agent. Page: docs/hopper.md. */
#include <string.h>

#include <deque>
#include <vector>

#include "asynchronous.h"
#include "counts.h"
#include "findings.h"
#include "fragments.h"
#include "include/cuda_bf16.h"
#include "include/emulated/ptx_hopper_cpu.h"
#include "mbarrier.h"
#include "operands.h"
#include "scheduler.h"

#define PC (uintptr_t) __builtin_return_address(0)

namespace
{
using namespace emu;

constexpr unsigned lanes = 128;
constexpr int max_n = 256;

/* One that was asked for. */
struct Product {
    Wgmma what;               /* as lane 0 gave it */
    const unsigned *a[lanes]; /* where A comes from registers */
    size_t accumulator;       /* which one of the group's */
    uint32_t moment;          /* of the group's agent */
};

/* A 64 x N accumulator with products under way. */
struct Accumulator {
    float *d[lanes];
    int N;
    uint64_t last; /* number of its last product */
    bool taken[lanes];
    unsigned to_take; /* lanes that have not got their part; 0: free */
    float sum[64][max_n];
};

struct Warpgroup {
    Actor agent;
    const Wgmma *given[lanes]; /* by lanes that wait for the others */
    unsigned came;
    uintptr_t pc; /* of the wgmma that they came to */
    uint64_t asked, computed;
    std::deque<Product> under_way;
    std::vector<Accumulator> accumulators;
    std::vector<uint64_t> closed[lanes]; /* `asked`, at each commit */
    bool fenced[lanes];
    std::vector<uint32_t> moments; /* of each product */
} groups[max_threads / lanes];

/* Register i of a lane holds this element of the 64 x N. */
int row_of(unsigned lane, int i)
{
    return (int)lane / 32 * 16 + (int)lane % 32 / 4 + i / 2 % 2 * 8;
}
int column_of(unsigned lane, int i)
{
    return i / 4 * 8 + (int)lane % 4 * 2 + i % 2;
}

/* A's four registers: as of mma.sync, see ptx.h. */
void read_fragments(const Product &p, float (&A)[16][64])
{
    for (unsigned l = 0; l < lanes; l++)
        for (int i = 0; i < 4; i++)
            for (int h = 0; h < 2; h++)
                A[(int)l % 4 * 2 + h + i / 2 * 8]
                 [(int)l / 32 * 16 + (int)l % 32 / 4 + i % 2 * 8] =
                     from_bf16((uint16_t)(p.a[l][i] >> 16 * h));
}

/* ANCHOR: product */
void compute(Warpgroup &g)
{
    static float A[16][64], B[16][max_n];
    Product &p = g.under_way.front();
    Accumulator &c = g.accumulators[p.accumulator];
    if (p.what.a)
        read_fragments(p, A);
    else
        read_operand({p.what.A, false}, 64, A[0], 64);
    read_operand({p.what.B, p.what.transposed}, p.what.N, B[0], max_n);
    if (!p.what.add)
        memset(c.sum, 0, sizeof c.sum);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < p.what.N; j++)
                c.sum[i][j] += A[k][i] * B[k][j];
    g.under_way.pop_front();
    g.computed++;
}
/* ANCHOR_END: product */

/* The accumulator whose registers lane 0 gave, or a free one. */
Accumulator &accumulator_for(Warpgroup &g, const Wgmma &w)
{
    size_t at = g.accumulators.size();
    for (size_t i = 0; i < g.accumulators.size(); i++) {
        Accumulator &c = g.accumulators[i];
        if (c.to_take == lanes && c.d[0] == w.d)
            return c;
        if (c.to_take == 0)
            at = i;
    }
    if (at == g.accumulators.size())
        g.accumulators.emplace_back();
    Accumulator &c = g.accumulators[at];
    memset(&c, 0, sizeof c);
    c.N = w.N;
    c.to_take = lanes;
    for (unsigned l = 0; l < lanes; l++) {
        c.d[l] = g.given[l]->d;
        for (int i = 0; i < w.N / 2; i++)
            c.sum[row_of(l, i)][column_of(l, i)] = c.d[l][i];
        memset(c.d[l], 0xff, (size_t)w.N / 2 * sizeof(float));
    }
    return c;
}

/* What the lanes gave must agree, and their registers be ready. */
void check_lanes(Warpgroup &g, unsigned first, uintptr_t pc)
{
    const Wgmma &w = *g.given[0];
    for (unsigned l = 0; l < lanes; l++) {
        const Wgmma &other = *g.given[l];
        speak_as(first + l);
        if (other.A != w.A || other.B != w.B || other.add != w.add)
            finding("wgmma", pc,
                    "the threads of a warpgroup give different descriptors");
        if (!g.fenced[l])
            finding("wgmma", pc,
                    "no wgmma_fence since the start or the last wgmma_wait");
        if (other.a)
            use_fragment(first + l, other.a, 16, false, g.asked, pc);
        use_fragment(first + l, other.d, (size_t)w.N / 2 * sizeof(float), true,
                     g.asked, pc);
    }
}

/* Each warp reads its own 16 rows of A, and all of B. */
void check_reads(Warpgroup &g, const Wgmma &w, unsigned first, uint32_t moment,
                 uintptr_t pc)
{
    uint32_t known[max_actors];
    for (unsigned warp = 0; warp < 4 && !w.a; warp++) {
        known_to_all((Actor)(first + 32 * warp), 32, known);
        ActingAs agent(g.agent, moment, known);
        check_operand({w.A, false}, 16 * (int)warp, 16, pc);
    }
    known_to_all((Actor)first, lanes, known);
    ActingAs agent(g.agent, moment, known);
    check_operand({w.B, w.transposed}, 0, w.N, pc);
}

/* Everybody has come; the last one speaks for all. */
void ask(Warpgroup &g, unsigned first, uintptr_t pc)
{
    unsigned me = running_thread();
    const Wgmma &w = *g.given[0];
    Product p = {};
    if (!g.agent) {
        g.agent = new_agent();
        name_agent(g.agent,
                   "a wgmma of warpgroup " + std::to_string(first / lanes));
    }
    p.what = w;
    p.moment = new_moment();
    check_lanes(g, first, pc);
    speak_as(me);
    check_reads(g, w, first, p.moment, pc);
    for (unsigned l = 0; l < lanes; l++)
        p.a[l] = g.given[l]->a;
    Accumulator &c = accumulator_for(g, w);
    c.last = g.asked++;
    p.accumulator = (size_t)(&c - g.accumulators.data());
    g.under_way.push_back(p);
    g.moments.push_back(p.moment);
    counts.wgmma++;
}

/* Gives a lane its part of what is computed. */
void take(Warpgroup &g, unsigned lane, uint64_t upto)
{
    for (Accumulator &c : g.accumulators) {
        if (!c.to_take || c.taken[lane] || c.last >= upto)
            continue;
        for (int i = 0; i < c.N / 2; i++)
            c.d[lane][i] = c.sum[row_of(lane, i)][column_of(lane, i)];
        c.taken[lane] = true;
        c.to_take--;
    }
}
} // namespace

void emu::wgmma(const Wgmma &w)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    unsigned me = running_thread(), first = me / lanes * lanes;
    Warpgroup &g = groups[me / lanes];
    if (first + lanes > threads_in_block()) {
        finding("wgmma", pc, "needs a whole warpgroup: 128 threads");
        kill_launch(cudaErrorLaunchFailure);
    }
    if (g.came && g.pc != pc) {
        finding("wgmma", pc, "other threads of the warpgroup are at another");
        kill_launch(cudaErrorLaunchFailure);
    }
    g.pc = pc;
    g.given[me % lanes] = &w;
    if (++g.came < lanes) {
        wait_for(Wait::group, pc);
        return;
    }
    ask(g, first, pc);
    g.came = 0;
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
    g.closed[me % lanes].push_back(g.asked);
}

/* ANCHOR: wait */
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
    if (upto && knows[me][g.agent] < g.moments[upto - 1])
        knows[me][g.agent] = g.moments[upto - 1];
}
/* ANCHOR_END: wait */

void emu::wgmma_start_block()
{
    for (unsigned i = 0; i < threads_in_block() / lanes; i++)
        groups[i] = Warpgroup();
    forget_fragments();
}

void emu::wgmma_end_block()
{
    for (unsigned i = 0; i < threads_in_block() / lanes; i++)
        if (groups[i].computed < groups[i].asked) {
            speak_as(i * lanes);
            finding("wgmma", groups[i].pc,
                    "the block ends and nobody has waited for this");
        }
}
