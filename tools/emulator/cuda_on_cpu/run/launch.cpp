/* launch.cpp: checks a launch, then runs its blocks one after the other. */
#include "tools/emulator/cuda_on_cpu/include/cuda_runtime.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/races/streams.h"
#include "tools/emulator/cuda_on_cpu/warp/collectives.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"
#include "tools/emulator/cuda_on_cpu/machine.h"

cuda_counts emu::counts;

namespace
{
using namespace emu;

alignas(64) char arguments_of_launch[max_argument_bytes];

/* The values that cudaFuncSetAttribute sets, by kernel. */
struct Attributes {
    size_t dynamic_limit = dynamic_default;
    uint64_t carveout = 0;
};
std::map<const void *, Attributes> attributes;
size_t allowed = dynamic_max; /* set by cuda_on_cpu_most_shared */
Site launched_at;

/* If a GPU would refuse the launch, reports a finding and returns the error. */
cudaError_t refused(const Launch &l)
{
    Index g = l.grid, b = l.block;
    size_t limit = attributes[l.function].dynamic_limit;
    if (!l.function) /* the largest limit of any kernel */
        for (const auto &a : attributes)
            limit = std::max(limit, a.second.dynamic_limit);
    uint64_t threads = (uint64_t)b.x * b.y * b.z;
    static std::string of;
    static const size_t most = most_static_shared(of);

    counts.static_shared = most;
    if (most > dynamic_default) {
        finding("launch", l.site,
                "%zu bytes of static shared memory in %s (at most %zu; more "
                "must be extern)",
                most, of.c_str(), dynamic_default);
        return cudaErrorInvalidValue;
    }
    if (!threads || threads > max_threads || b.z > 64) {
        finding(
            "launch", l.site,
            "%s: a block of %u x %u x %u threads (allowed: 1 to 1024, z to 64)",
            l.kernel, b.x, b.y, b.z);
        return cudaErrorInvalidConfiguration;
    }
    if (!g.x || !g.y || !g.z || g.x > 0x7fffffffu || g.y > 65535 ||
        g.z > 65535) {
        finding("launch", l.site,
                "%s: a grid of %u x %u x %u blocks (allowed: from 1, y and z "
                "to 65535)",
                l.kernel, g.x, g.y, g.z);
        return cudaErrorInvalidConfiguration;
    }
    if (l.shared_bytes > limit) {
        finding("launch", l.site,
                "%s: %zu bytes of dynamic shared memory (at most %zu; more "
                "than 48 KiB need cudaFuncSetAttribute)",
                l.kernel, l.shared_bytes, limit);
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

bool adding; /* the counts of launches are added up */
bool added;  /* a launch has been added */

void start_counting(const Launch &l)
{
    if (adding && added)
        return;
    added = true;
    counts = {};
    counts.kernel = l.kernel;
    for (Array &a : arrays)
        a.loaded = a.stored = a.atomics = a.loaded_once = 0;
    reset_requests();
}

void count_block(const Launch &l)
{
    uint64_t threads = (uint64_t)l.block.x * l.block.y * l.block.z;
    counts.most_threads = std::max(counts.most_threads, threads);
    counts.most_shared = std::max(counts.most_shared, l.shared_bytes);
    counts.last_shared = l.shared_bytes;
    counts.carveout =
        std::max(counts.carveout, attributes[l.function].carveout);
}

/* CUDA does not guarantee an order of blocks. With a seed, each launch uses a
 * random step that is coprime to the number of blocks, so all are visited. */
unsigned random_step(unsigned blocks)
{
    unsigned step = 1 + random_below(blocks);
    while (std::gcd(step, blocks) != 1)
        step++;
    return step;
}

cudaError_t run_grid(Index g)
{
    Index &b = builtins.block;
    uint64_t blocks = (uint64_t)g.x * g.y * g.z;
    unsigned few = (unsigned)(blocks < 1u << 30 ? blocks : 1);
    uint64_t at = random_below(few), step = random_step(few);
    blocks_of_grid = blocks;
    for (uint64_t n = 0; n < blocks; n++, at = (at + step) % blocks) {
        b = {(unsigned)(at % g.x), (unsigned)(at / g.x % g.y),
             (unsigned)(at / g.x / g.y)};
        cp_async_start_block();
        block_of_grid = n;
        cudaError_t error = run_block();
        print_deferred();
        counts.blocks++;
        counts.threads += threads_in_block();
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}
} // namespace

void emu::launch(const Launch &l, void (*call)(void *), void *arguments,
                 size_t bytes)
{
    if (running_kernel)
        cannot("a launch by a kernel", l.site);
    read_settings();
    shared_init();
    watch_exit();
    report_unchecked_error();
    start_counting(l);
    begin_launch(l);
    count_block(l);
    cudaError_t error = refused(l);
    if (error == cudaSuccess) {
        DeviceOpen open;
        __builtin_memcpy(arguments_of_launch, arguments, bytes);
        dynamic_bytes = l.shared_bytes;
        begin_operation(l.stream, l.kernel, l.site);
        builtins.grid_dim = l.grid;
        builtins.block_dim = l.block;
        prepare_threads(l.block, call, arguments_of_launch);
        order_launch(threads_in_block());
        running_kernel = l.kernel;
        launched_at = l.site;
        error = run_grid(l.grid);
        running_kernel = nullptr;
    }
    if (error != cudaSuccess)
        launch_error(error, l.site);
    if (summarised)
        end_launch(l);
    if (report_every_launch())
        cuda_on_cpu_report(stderr);
}

bool emu::is_argument(const void *p)
{
    size_t in_builtins = (uintptr_t)p - (uintptr_t)&builtins;
    size_t in_arguments = (uintptr_t)p - (uintptr_t)arguments_of_launch;
    return in_builtins < sizeof builtins ||
           in_arguments < sizeof arguments_of_launch;
}

void emu::launch_bounds(unsigned threads)
{
    Unwatched quiet;
    if (threads_in_block() > threads)
        fatal(cudaErrorLaunchOutOfResources, "launch", launched_at,
              "%s: a block of %u threads; its __launch_bounds__ allow %u",
              running_kernel, threads_in_block(), threads);
}

size_t emu::most_shared()
{
    return architecture == 80   ? 166912
           : architecture == 90 ? dynamic_max
                                : 101376;
}

cudaError_t emu::set_attribute(const void *function, cudaFuncAttribute what,
                               int value, Site at)
{
    if (what == cudaFuncAttributePreferredSharedMemoryCarveout) {
        attributes[function].carveout =
            (uint64_t)value; /* a GPU may ignore it */
        return cudaSuccess;
    }
    read_settings();
    if (value < 0 || (size_t)value > most_shared()) {
        finding("launch", at, "%d bytes of dynamic shared memory (at most %zu)",
                value, most_shared());
        return api_error(cudaErrorInvalidValue);
    }
    if ((size_t)value > allowed)
        return api_error(cudaErrorInvalidValue);
    attributes[function].dynamic_limit = (size_t)value;
    return cudaSuccess;
}

void cuda_on_cpu_most_shared(size_t bytes)
{
    allowed = bytes;
}

void cuda_on_cpu_add_launches(int add)
{
    adding = add != 0;
    added = false;
}

cuda_counts cuda_on_cpu_counts(void)
{
    return emu::counts;
}
