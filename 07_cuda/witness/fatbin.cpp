/* fatbin.cpp: what nvcc put into the program, and how it tells the runtime:
 * kernels and variables, each with the address that the host knows it by. */
#include <algorithm>
#include <cstring>

#include "07_cuda/witness/runtime.h"

namespace
{
std::map<const void *, Function> functions;
std::map<const void *, Variable> variables;

/* The PTX in what nvcc has wrapped, which begins with 16 bytes, and how many
 * follow; null: there is machine code alone, or what is compressed. */
const char *ptx_of(const void *wrapper)
{
    const u64 *data = ((u64 *const *)wrapper)[1];
    const char *begin = (const char *)data, version[] = ".version ";
    const char *end = begin + 16 + data[1];
    const char *at = std::search(begin, end, version, version + 9);

    return at == end ? nullptr : at;
}

cudaError_t copy(const void *symbol, size_t n, size_t offset, void *to,
                 const void *from)
{
    auto v = variables.find(symbol);

    if (v == variables.end() || offset + n > (size_t)v->second.bytes)
        return said(cudaErrorInvalidSymbol);
    u8 *there = (u8 *)v->second.address + offset;
    std::memcpy(to ? to : there, from ? from : there, n);
    return cudaSuccess;
}
} // namespace

Function *function_of(const void *host)
{
    auto f = functions.find(host);
    return f == functions.end() ? nullptr : &f->second;
}

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper)
{
    const char *ptx = ptx_of(wrapper);

    return (void **)(ptx ? new Module(ptx) : nullptr);
}
void __cudaRegisterFatBinaryEnd(void **)
{
}
void __cudaUnregisterFatBinary(void **)
{
}
void __cudaRegisterFunction(void **module, const char *host, char *,
                            const char *name, int, void *, void *, void *,
                            void *, int *)
{
    functions[host] = {(const Module *)module, name, nullptr, 0};
}
void __cudaRegisterVar(void **module, char *host, char *, const char *name, int,
                       size_t, int, int)
{
    const Module *m = (const Module *)module;

    if (m && m->variables.count(name))
        variables[host] = m->variables.at(name);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n,
                               size_t offset, cudaMemcpyKind)
{
    return copy(symbol, n, offset, nullptr, from);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n,
                                 size_t offset, cudaMemcpyKind)
{
    return copy(symbol, n, offset, to, nullptr);
}

/* <<<...>>>: what stands between them is kept until the kernel's stub asks. */
static thread_local struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} given;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     void *stream)
{
    given = {grid, block, shared, stream};
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream)
{
    *grid = given.grid, *block = given.block, *shared = given.shared;
    *(void **)stream = given.stream;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    *kernel = (cudaKernel_t)function_of(host);
    return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t shared, cudaStream_t)
{
    return said(launch(*(Function *)kernel, grid, block, arguments, shared));
}
}
