/* warp_calls.cpp: see include/emulated/warp.h. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/warp/collectives.h"
#include "tools/emulator/cuda_on_cpu/races/order.h"
#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

/* True if every lane of f's mask has made the same call or has returned, or if
 * the call is __activemask. Sets g to the lanes that made the call. */
bool gather(const Fiber &f, unsigned first, unsigned n, Gathered &g)
{
    g.first = first;
    g.mask = 0;
    for (unsigned l = 0; l < n; l++) {
        const Fiber &other = fibers[first + l];
        if (!(f.call.mask >> l & 1) || other.wait == Wait::finished)
            continue;
        if (f.call.op == WarpOp::active &&
            (other.wait != Wait::warp || other.call.op != WarpOp::active ||
             other.place.site.line != f.place.site.line))
            continue;
        if (other.wait != Wait::warp || other.call.op != f.call.op ||
            other.call.mask != f.call.mask)
            return false;
        if (is_aligned(f.call.op) && other.place.site.line != f.place.site.line)
            return false;
        g.mask |= 1u << l;
        g.argument[l] = other.call.argument;
    }
    return true;
}
} // namespace

bool emu::release_warp(unsigned first, unsigned n)
{
    bool any = false;
    for (unsigned t = first; t < first + n; t++) {
        Gathered g;
        if (fibers[t].wait != Wait::warp || !gather(fibers[t], first, n, g))
            continue;
        report_as(t);
        unsigned absent = fibers[t].call.mask & ~g.mask;
        if (fibers[t].call.op == WarpOp::shuffle && n == 32 && absent)
            note(fibers[t].place,
                 "lanes of the mask have returned without this "
                 "shuffle; the mask must name the lanes that call it");
        run_warp_op(fibers[t].call.op, g, fibers[t].place.site);
        for (unsigned l = 0; l < n; l++)
            if (g.mask >> l & 1)
                fibers[first + l].wait = Wait::nothing;
        note_progress();
        any = true;
    }
    return any;
}

void emu::warp_call(WarpOp op, unsigned mask, void *argument, Site at)
{
    unsigned lane = running_thread() % 32;
    Unwatched quiet;
    if (!(mask >> lane & 1)) {
        finding("warp", at,
                "lane %u calls %s with a mask (%08x) that excludes it", lane,
                name_of(op), mask);
        mask |= 1u << lane;
    }
    fibers[running_thread()].call = {op, mask, argument};
    wait_for(Wait::warp, at);
}

namespace
{
bool is_mma(WarpOp op)
{
    return op == WarpOp::m16n8k16_bf16 || op == WarpOp::m16n8k16_f16 ||
           op == WarpOp::m16n8k8_tf32;
}

bool is_ldmatrix(WarpOp op)
{
    return op == WarpOp::ldmatrix || op == WarpOp::ldmatrix_trans;
}

void shuffle_all(const Gathered &g, Site site)
{
    for (unsigned l = 0; l < 32; l++) {
        if (!(g.mask >> l & 1))
            continue;
        Shuffle *s = static_cast<Shuffle *>(g.argument[l]);
        if (!(g.mask >> (s->from & 31) & 1)) {
            report_as(g.first + l);
            finding("warp", site,
                    "a shuffle reads lane %d, which takes no part", s->from);
            s->received = s->mine;
            continue;
        }
        s->received = static_cast<Shuffle *>(g.argument[s->from & 31])->mine;
    }
}

void ballot_all(const Gathered &g)
{
    unsigned all = 0;
    for (unsigned l = 0; l < 32; l++)
        if (g.mask >> l & 1)
            all |= static_cast<Ballot *>(g.argument[l])->mine << l;
    for (unsigned l = 0; l < 32; l++)
        if (g.mask >> l & 1)
            static_cast<Ballot *>(g.argument[l])->all = all;
}

/* __syncwarp is the only warp function that orders memory. */
void sync_all(const Gathered &g)
{
    Actor who[32];
    unsigned n = 0;
    for (unsigned l = 0; l < 32; l++)
        if (g.mask >> l & 1)
            who[n++] = (Actor)(g.first + l);
    order_some(who, n);
}
} // namespace

void emu::run_warp_op(WarpOp op, const Gathered &g, Site site)
{
    if (op == WarpOp::sync) {
        counts.warp_syncs++;
        sync_all(g);
    } else if (op == WarpOp::shuffle) {
        counts.shuffles++;
        shuffle_all(g, site);
    } else if (op == WarpOp::ballot || op == WarpOp::active) {
        if (op == WarpOp::ballot)
            counts.shuffles++;
        ballot_all(g);
    } else if (g.mask != 0xffffffffu)
        finding("warp", site, "%s needs all 32 lanes of the warp", name_of(op));
    else if (is_mma(op)) {
        counts.mma++;
        mma_all(op, g.argument);
    } else {
        counts.ldmatrix++;
        ldmatrix_all(op, g.argument);
    }
}

bool emu::is_aligned(WarpOp op)
{
    return is_mma(op) || is_ldmatrix(op);
}

const char *emu::name_of(WarpOp op)
{
    return is_mma(op)              ? "mma.sync"
           : is_ldmatrix(op)       ? "ldmatrix"
           : op == WarpOp::sync    ? "__syncwarp"
           : op == WarpOp::active  ? "__activemask"
           : op == WarpOp::shuffle ? "a shuffle"
                                   : "a ballot";
}
