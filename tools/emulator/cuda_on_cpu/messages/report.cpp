/* report.cpp: prints the counts; see cuda_on_cpu.h. */
#include <inttypes.h>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/instructions.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

namespace
{
using namespace emu;

double times(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

void report_arrays(FILE *to)
{
    fprintf(to, "  %-12s %12s %14s %7s %14s %7s\n", "array", "bytes", "loaded",
            "times", "stored", "times");
    for (const Array &a : arrays) {
        uint64_t stored = a.stored + a.atomics;
        if (!a.loaded && !stored)
            continue;
        fprintf(to, "  %-12s %12zu %14" PRIu64 " %7.2f %14" PRIu64 " %7.2f\n",
                a.name.c_str(), a.bytes, a.loaded, times(a.loaded, a.bytes),
                stored, times(stored, a.bytes));
    }
}

void report_global(FILE *to, const cuda_counts &c)
{
    fprintf(to, "  global bytes loaded %" PRIu64 ", stored %" PRIu64,
            c.global_loaded, c.global_stored);
    if (c.global_atomics)
        fprintf(to, ", by atomics %" PRIu64, c.global_atomics);
    fprintf(to, "\n");
    if (effort != CUDA_COUNT)
        fprintf(to,
                "  bytes if each byte were loaded once: %" PRIu64
                " (loaded %.2f times as many)\n",
                c.global_loaded_once,
                times(c.global_loaded, c.global_loaded_once));
}
} // namespace

void cuda_on_cpu_report(FILE *to)
{
    const cuda_counts &c = emu::counts;
    fprintf(to, "%s: %" PRIu64 " blocks, %" PRIu64 " threads\n",
            c.kernel ? c.kernel : "no launch yet", c.blocks, c.threads);
    report_arrays(to);
    report_global(to, c);
    fprintf(to,
            "  shared: %" PRIu64 " loads (%" PRIu64 " bytes), %" PRIu64
            " stores (%" PRIu64 ")\n",
            c.shared_loads, c.shared_loaded, c.shared_stores, c.shared_stored);
    fprintf(to,
            "  barriers %" PRIu64 ", warp syncs %" PRIu64 ", shuffles %" PRIu64
            ", ldmatrix %" PRIu64 ", mma %" PRIu64 "\n",
            c.barriers, c.warp_syncs, c.shuffles, c.ldmatrix, c.mma);
    if (c.wgmma || c.tma)
        fprintf(to, "  wgmma %" PRIu64 ", TMA boxes %" PRIu64 "\n", c.wgmma,
                c.tma);
    if (effort != CUDA_FULL)
        return;
    fprintf(to,
            "  bank conflicts: %" PRIu64 " extra wavefronts (%" PRIu64
            " without conflicts)\n",
            c.shared_wavefronts - c.shared_wavefronts_best,
            c.shared_wavefronts_best);
    fprintf(to, "  coalescing: %" PRIu64 " sectors, %" PRIu64 " at best\n",
            c.global_sectors, c.global_sectors_best);
    report_requests(to);
}
