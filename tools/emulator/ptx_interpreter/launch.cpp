/* launch.cpp: the functions that nvcc's code calls to register and copy
 * variables, and to register and launch kernels. The blocks of a grid run one
 * after the other. */
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime_api.h>
#include <tuple>

#include "tools/emulator/ptx_interpreter/module.h"

cudaError_t set_error(cudaError_t error); /* runtime.cpp */

namespace
{
/* DEFAULT_SHARED: bytes of shared memory that a block may use by default. */
constexpr size_t KIB = 1024, DEFAULT_SHARED = 48 * KIB;

struct Function {
    const Module *module; /* null if there is no PTX */
    std::string name;
    Kernel *kernel;    /* null before the first launch */
    size_t max_shared; /* most dynamic shared memory, in bytes */
};
/* The keys are addresses on the host. */
std::map<const void *, Function> functions;
std::map<const void *, u64> variables;

/* A card cannot run PTX for a newer card. With the suffix a, as in "90a", only
 * a card of the same capability can run it. */
bool runs_here(const std::string &target)
{
    int capability = std::atoi(target.c_str());

    return target.back() == 'a' ? capability == card().capability
                                : capability <= card().capability;
}

cudaError_t refused(const Function &f, const dim3 &grid, const dim3 &block,
                    size_t shared)
{
    const Kernel &k = *f.kernel;
    u64 threads = (u64)block.x * block.y * block.z;
    size_t limit = f.max_shared > DEFAULT_SHARED ? (size_t)card().shared * KIB
                                                 : DEFAULT_SHARED;

    if (!threads || threads > 1024 || !grid.x || !grid.y || !grid.z ||
        grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535 ||
        block.z > 64 || (k.max_threads && threads > (u64)k.max_threads))
        return cudaErrorInvalidConfiguration;
    if (shared > f.max_shared || shared + (size_t)k.shared_bytes > limit)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t launch(Function &f, dim3 grid, dim3 block, void **arguments,
                   size_t shared)
{
    if (!f.module || !runs_here(f.module->target))
        return cudaErrorNoKernelImageForDevice;
    if (!f.kernel)
        f.kernel = compile(*f.module, f.name);
    if (cudaError_t error = refused(f, grid, block, shared))
        return error;

    static u64 blocks; /* number of blocks so far, for the seeds */
    const char *given = std::getenv("PTX_SEED");
    u64 seed = given ? std::strtoull(given, nullptr, 0) : 7;
    static Block b; /* static, so that its memory is reused */
    b.kernel = f.kernel;
    b.threads = (int)(block.x * block.y * block.z);
    b.grid = {grid.x, grid.y, grid.z};
    b.size = {block.x, block.y, block.z};
    for (const auto &p : f.kernel->parameters)
        std::memcpy(p.first, *arguments++, p.second);
    for (b.id[2] = 0; b.id[2] < grid.z; b.id[2]++)
        for (b.id[1] = 0; b.id[1] < grid.y; b.id[1]++)
            for (b.id[0] = 0; b.id[0] < grid.x; b.id[0]++) {
                b.random.seed(seed << 32 ^ ++blocks);
                b.shared.assign((size_t)f.kernel->shared_bytes + shared,
                                POISON);
                run_block(b);
            }
    return cudaSuccess;
}
} // namespace

extern "C" {
/* The data begins with a header of 16 bytes. Its last 8 bytes are the number of
 * bytes that follow. Returns null if these contain no PTX as text. */
void **__cudaRegisterFatBinary(void *wrapper)
{
    const u64 *data = ((u64 *const *)wrapper)[1];
    const char *begin = (const char *)data, version[] = ".version ";
    const char *end = begin + 16 + data[1];
    const char *ptx = std::search(begin, end, version, version + 9);

    return (void **)(ptx == end ? nullptr : new Module(ptx));
}
void __cudaRegisterFunction(void **module, const char *host, char *,
                            const char *name, int, void *, void *, void *,
                            void *, int *)
{
    functions[host] = {(const Module *)module, name, nullptr, DEFAULT_SHARED};
}
void __cudaRegisterVar(void **module, char *host, char *, const char *name, int,
                       size_t, int, int)
{
    const Module *m = (const Module *)module;

    if (m && m->variables.count(name))
        variables[host] = m->variables.at(name).address;
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n,
                               size_t offset, cudaMemcpyKind)
{
    return cudaMemcpy((u8 *)variables[symbol] + offset, from, n,
                      cudaMemcpyHostToDevice);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n,
                                 size_t offset, cudaMemcpyKind)
{
    return cudaMemcpy(to, (u8 *)variables[symbol] + offset, n,
                      cudaMemcpyDeviceToHost);
}

/* The launch configuration, until the kernel's stub on the host reads it. */
static std::tuple<dim3, dim3, size_t, void *> given;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     void *stream)
{
    given = {grid, block, shared, stream};
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream)
{
    std::tie(*grid, *block, *shared, *(void **)stream) = given;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    auto f = functions.find(host);

    *kernel = f == functions.end() ? nullptr : (cudaKernel_t)&f->second;
    return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t shared, cudaStream_t)
{
    return set_error(
        launch(*(Function *)kernel, grid, block, arguments, shared));
}
cudaError_t cudaFuncSetAttribute(const void *host, cudaFuncAttribute what,
                                 int value)
{
    auto f = functions.find(host);

    if (f == functions.end())
        return set_error(cudaErrorInvalidDeviceFunction);
    if (what != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || (size_t)value > (size_t)card().shared * KIB)
        return set_error(cudaErrorInvalidValue);
    f->second.max_shared = std::max((size_t)value, DEFAULT_SHARED);
    return cudaSuccess;
}
}
