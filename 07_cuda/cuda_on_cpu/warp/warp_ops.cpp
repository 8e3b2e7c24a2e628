/* warp_ops.cpp: what a shuffle, a vote and __syncwarp do, once all lanes have
 * come (warp_calls.cpp). Page: docs/cuda_on_cpu.md. */
#include "07_cuda/cuda_on_cpu/warp/collectives.h"
#include "07_cuda/cuda_on_cpu/counts.h"
#include "07_cuda/cuda_on_cpu/findings.h"
#include "07_cuda/cuda_on_cpu/races/order.h"
#include "07_cuda/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

bool is_mma(WarpOp op)
{
    return op == WarpOp::mma_bf16 || op == WarpOp::mma_f16;
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
            speak_as(g.first + l);
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

/* Of all warp functions only __syncwarp orders memory. */
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
    } else if (op == WarpOp::ballot) {
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
           : op == WarpOp::shuffle ? "a shuffle"
                                   : "a ballot";
}
