/* launch.cpp: a grid of blocks, on as many threads as the machine has. What a
 * card would refuse is refused. */
#include "07_cuda/witness/runtime.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "07_cuda/witness/card.h"

namespace
{
u64 setting(const char *name, u64 otherwise)
{
    const char *given = std::getenv(name);

    return given ? std::strtoull(given, nullptr, 0) : otherwise;
}

/* PTX of a newer card doesn't run on an older one; that of sm_90a on no other. */
bool runs_here(const std::string &target)
{
    int capability = std::atoi(target.c_str());

    return target.back() == 'a' ? capability == card().capability
                                : capability <= card().capability;
}

/* What a launch without cudaFuncSetAttribute has: 48 KiB. */
cudaError_t refused(const Function &f, const dim3 &grid, const dim3 &block,
                    size_t shared)
{
    const Kernel &k = *f.kernel;
    u64 threads = (u64)block.x * block.y * block.z;
    size_t asked = (size_t)std::max(f.most_shared, 48 << 10);
    size_t most = asked > 48 << 10 ? (size_t)card().shared << 10 : 48 << 10;

    if (!threads || threads > 1024 || !grid.x || !grid.y || !grid.z ||
        grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535 ||
        block.z > 64 || (k.most_threads && threads > (u64)k.most_threads))
        return cudaErrorInvalidConfiguration;
    if (shared > asked || shared + (size_t)k.shared_bytes > most)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}
} // namespace

cudaError_t launch(Function &f, dim3 grid, dim3 block, void **arguments,
                   size_t shared)
{
    if (!f.module || !runs_here(f.module->target))
        return cudaErrorNoKernelImageForDevice;
    if (!f.kernel)
        f.kernel = compile(*f.module, f.name);
    if (!f.kernel)
        stop("%s: not in the PTX", f.name.c_str());
    if (cudaError_t error = refused(f, grid, block, shared))
        return error;

    static u64 launches; /* each has schedules of its own */
    constexpr u64 odd = 0x9e3779b97f4a7c15;
    u64 first = (setting("PTX_SEED", 7) * odd ^ ++launches) * odd;
    u64 all = (u64)grid.x * grid.y * grid.z;
    const Kernel &k = *f.kernel;
    std::vector<u8> parameters((size_t)k.parameter_bytes);
    for (size_t i = 0; i < k.parameters.size(); i++)
        std::memcpy(&parameters[(size_t)k.parameters[i].first], arguments[i],
                    (size_t)k.parameters[i].second);
    std::atomic<u64> next{0};
    auto work = [&] {
        Block b = {};
        b.kernel = &k;
        b.parameters = parameters;
        b.threads = (int)(block.x * block.y * block.z);
        b.grid = {grid.x, grid.y, grid.z};
        b.size = {block.x, block.y, block.z};
        for (u64 n; (n = next++) < all;) {
            u64 row = n / grid.x;
            b.id = {(u32)(n % grid.x), (u32)(row % grid.y),
                    (u32)(row / grid.y)};
            b.random = (first ^ (n + 1) * odd) | 1;
            b.shared.assign((size_t)k.shared_bytes + shared, POISON);
            run_block(b);
        }
    };
    u64 threads = setting("PTX_THREADS", std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (u64 i = 1; i < std::min(threads, all); i++)
        others.emplace_back(work);
    work();
    for (std::thread &t : others)
        t.join();
    return cudaSuccess;
}
