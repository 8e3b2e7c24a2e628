/* summary.cpp: prints cuda-check's progress line on a terminal, and its final
 * table: a line for each kernel, with sums over the kernel's launches. */
#include <inttypes.h>
#include <unistd.h>

#include <map>
#include <vector>

#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

namespace
{
using namespace emu;

struct Sum {
    std::string kernel;
    uint64_t launches, counted;
    cuda_counts c; /* sectors and wavefronts are those of checked launches */
    std::string worst[2]; /* lines with most conflicts, and wasted sectors */
    uint64_t extra[2];
};
std::vector<Sum> sums;

/* The first launches of a kernel are checked. Later ones are only counted. */
constexpr uint64_t checked = 3;

Sum &sum_of(const std::string &kernel)
{
    for (Sum &s : sums)
        if (s.kernel == kernel)
            return s;
    sums.push_back({kernel, 0, 0, {}, {}, {}});
    return sums.back();
}

double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}
} // namespace

uint64_t emu::block_of_grid, emu::blocks_of_grid;

cuda_effort emu::requested_effort()
{
    static const cuda_effort requested = effort;
    return requested;
}

void emu::begin_launch(const Launch &l)
{
    if (!summarised)
        return;
    Sum &s = sum_of(l.kernel);
    counts = s.c;
    counts.kernel = l.kernel;
    /* A launch macro or a template gives several kernels the same name. */
    static std::map<const void *, uint64_t> launches;
    s.launches++;
    bool only_count = launches[l.instance]++ >= checked;
    s.counted += only_count;
    effort = only_count ? CUDA_COUNT : requested_effort();
}

void emu::end_launch(const Launch &l)
{
    Sum &s = sum_of(l.kernel);
    s.c = counts;
    for (int global = 0; global < 2; global++) {
        uint64_t extra;
        Site at = worst_request(global, extra);
        if (extra > s.extra[global]) {
            s.extra[global] = extra;
            s.worst[global] =
                std::string(at.file) + ":" + std::to_string(at.line);
        }
    }
    /* A launch with CUDA_COUNT does not update the shadow cells. So each array
     * that it stored to is marked as written, in full. */
    if (effort == CUDA_COUNT)
        for (Array &a : arrays)
            if (!a.freed && (a.stored || a.atomics))
                shadow_assume_written(a.shadow, a.bytes);
    effort = requested_effort();
}

static bool shown; /* the terminal's last line is the progress line */

void emu::show_progress(unsigned seconds)
{
    char line[120];
    int n = 0;
    if (!summarised || !isatty(2))
        return;
    if (running_kernel)
        n = snprintf(line, sizeof line,
                     "\r\033[K%.50s: block %" PRIu64 " of %" PRIu64 ", %u s",
                     running_kernel, block_of_grid + 1, blocks_of_grid,
                     seconds);
    else
        n = snprintf(line, sizeof line, "\r\033[Krunning for %u s", seconds);
    shown = write(2, line, (size_t)n) == n;
}

void emu::hide_progress()
{
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}

void emu::print_summary()
{
    fprintf(stderr, "\n%-20s %8s %11s %11s %6s %8s %9s\n", "kernel", "launches",
            "bytes read", "written", "wasted", "barriers", "conflicts");
    for (const Sum &s : sums) {
        const cuda_counts &c = s.c;
        fprintf(stderr, "%-20.20s %8" PRIu64 " %11" PRIu64 " %11" PRIu64 " ",
                s.kernel.c_str(), s.launches, c.global_loaded,
                c.global_stored + c.global_atomics);
        if (c.global_sectors + c.shared_wavefronts)
            fprintf(stderr, "%5.0f%% %8" PRIu64 " %8.0f%%\n",
                    percent(c.global_sectors - c.global_sectors_best,
                            c.global_sectors),
                    c.barriers,
                    percent(c.shared_wavefronts - c.shared_wavefronts_best,
                            c.shared_wavefronts));
        else
            fprintf(stderr, "%6s %8" PRIu64 " %9s\n", "-", c.barriers, "-");
        for (int global = 1; global >= 0; global--)
            if (s.extra[global])
                fprintf(stderr, "  most %s: %s\n",
                        global ? "wasted bytes" : "conflicts",
                        s.worst[global].c_str());
        if (s.counted)
            fprintf(stderr,
                    "  (launches that were only counted: %" PRIu64 ")\n",
                    s.counted);
    }
}

void emu::cannot(const char *what, Site at)
{
    hide_progress();
    fprintf(stderr, "%s:%d: cuda-check cannot run this: %s\n", at.file, at.line,
            what);
    fflush(nullptr);
    _exit(status_cannot);
}
