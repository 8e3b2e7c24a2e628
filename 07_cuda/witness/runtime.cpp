/* runtime.cpp: CUDA's runtime, as far as these programs use it. All is done at
 * once: streams and events are nothing here, and no time passes. */
#include "07_cuda/witness/runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "07_cuda/witness/allocations.h"
#include "07_cuda/witness/card.h"
#include "07_cuda/witness/copies.h"

static cudaError_t last = cudaSuccess;

static cudaError_t said(cudaError_t error)
{
    return error ? last = error : error;
}

/* Is it the device's? */
static bool there(const void *at, size_t bytes)
{
    return !bytes || allocated_at((u64)at, bytes);
}

static cudaError_t move(void *to, const void *from, size_t bytes, int kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost;
    bool within = kind == cudaMemcpyDeviceToDevice;

    if (((to_device || within) && !there(to, bytes)) ||
        ((from_device || within) && !there(from, bytes)))
        return said(cudaErrorInvalidValue);
    std::memmove(to, from, bytes);
    return cudaSuccess;
}

static int attribute(cudaDeviceAttr what)
{
    const Card &c = card();
    const std::pair<cudaDeviceAttr, int> all[] = {
        {cudaDevAttrMultiProcessorCount, c.sms},
        {cudaDevAttrComputeCapabilityMajor, c.capability / 10},
        {cudaDevAttrComputeCapabilityMinor, c.capability % 10},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, c.shared << 10},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, c.shared_sm << 10},
        {cudaDevAttrMaxRegistersPerMultiprocessor, c.registers},
        {cudaDevAttrMaxThreadsPerMultiProcessor, c.threads_sm},
        {cudaDevAttrL2CacheSize, c.L2 << 20},
        {cudaDevAttrWarpSize, WIDTH},
    };

    for (const auto &a : all)
        if (a.first == what)
            return a.second;
    return 0;
}

/* What has nothing to do, or says the same to everybody. */
#define CALL(name, parameters, ...)                                            \
    cudaError_t name parameters                                                \
    {                                                                          \
        __VA_ARGS__;                                                           \
        return cudaSuccess;                                                    \
    }

extern "C" {
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t shared, cudaStream_t)
{
    return said(launch(*(Function *)kernel, grid, block, arguments, shared));
}
cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block,
                             void **arguments, size_t shared, cudaStream_t)
{
    Function *f = function_of(host);

    return said(f ? launch(*f, grid, block, arguments, shared)
                  : cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaFuncSetAttribute(const void *host, cudaFuncAttribute what,
                                 int value)
{
    Function *f = function_of(host);

    if (!f)
        return said(cudaErrorInvalidDeviceFunction);
    if (what != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value > card().shared << 10)
        return said(cudaErrorInvalidValue);
    f->most_shared = value;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **at, size_t bytes)
{
    *at = allocate(bytes);
    return said(*at ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaMallocAsync(void **at, size_t bytes, cudaStream_t)
{
    return cudaMalloc(at, bytes);
}
cudaError_t cudaMallocManaged(void **at, size_t bytes, unsigned)
{
    return cudaMalloc(at, bytes);
}
cudaError_t cudaFree(void *at)
{
    return said(!at || release(at) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaFreeAsync(void *at, cudaStream_t)
{
    return cudaFree(at);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t n,
                       cudaMemcpyKind kind)
{
    return move(to, from, n, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n,
                            cudaMemcpyKind kind, cudaStream_t)
{
    return move(to, from, n, kind);
}
cudaError_t cudaMemset(void *at, int value, size_t n)
{
    if (!there(at, n))
        return said(cudaErrorInvalidValue);
    std::memset(at, value, n);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *at, int value, size_t n, cudaStream_t)
{
    return cudaMemset(at, value, n);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n,
                               size_t offset, cudaMemcpyKind)
{
    const Module::Variable *v = variable_of(symbol);

    if (!v || offset + n > (size_t)v->bytes)
        return said(cudaErrorInvalidSymbol);
    std::memcpy((char *)v->address + offset, from, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n,
                                 size_t offset, cudaMemcpyKind)
{
    const Module::Variable *v = variable_of(symbol);

    if (!v || offset + n > (size_t)v->bytes)
        return said(cudaErrorInvalidSymbol);
    std::memcpy(to, (char *)v->address + offset, n);
    return cudaSuccess;
}
CALL(cudaMemGetInfo, (size_t * free, size_t *all),
     *free = *all = (size_t)8 << 30)
CALL(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * p, int), *p = nullptr)
CALL(cudaMemPoolSetAttribute, (cudaMemPool_t, cudaMemPoolAttr, void *), )

CALL(cudaDeviceGetAttribute, (int *value, cudaDeviceAttr what, int),
     *value = attribute(what))
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    const Card &c = card();

    std::memset(p, 0, sizeof *p);
    std::snprintf(p->name, sizeof p->name, "%s", c.title);
    p->major = c.capability / 10, p->minor = c.capability % 10;
    p->multiProcessorCount = c.sms;
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerBlockOptin = (size_t)c.shared << 10;
    p->sharedMemPerMultiprocessor = (size_t)c.shared_sm << 10;
    p->regsPerBlock = p->regsPerMultiprocessor = c.registers;
    p->maxThreadsPerBlock = 1024, p->warpSize = WIDTH;
    p->maxThreadsPerMultiProcessor = c.threads_sm;
    p->totalGlobalMem = (size_t)8 << 30;
    return cudaSuccess;
}
CALL(cudaGetDevice, (int *device), *device = 0)
CALL(cudaSetDevice, (int), )
CALL(cudaGetDeviceCount, (int *n), *n = 1)
CALL(cudaDeviceReset, (void), )
cudaError_t cudaDeviceSynchronize()
{
    return last;
}
cudaError_t cudaGetLastError()
{
    return std::exchange(last, cudaSuccess);
}
cudaError_t cudaPeekAtLastError()
{
    return last;
}
const char *cudaGetErrorString(cudaError_t error)
{
    static char text[40];

    std::snprintf(text, sizeof text, "CUDA's error %d", (int)error);
    return error ? text : "no error";
}
const char *cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}

CALL(cudaStreamCreate, (cudaStream_t * s), *s = nullptr)
CALL(cudaStreamDestroy, (cudaStream_t), )
CALL(cudaStreamSynchronize, (cudaStream_t), )
CALL(cudaEventCreate, (cudaEvent_t * e), *e = nullptr)
CALL(cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned), *e = nullptr)
CALL(cudaEventRecord, (cudaEvent_t, cudaStream_t), )
CALL(cudaEventSynchronize, (cudaEvent_t), )
CALL(cudaEventDestroy, (cudaEvent_t), )
CALL(cudaEventElapsedTime, (float *ms, cudaEvent_t, cudaEvent_t), *ms = 1)
CALL(cudaGetDriverEntryPointByVersion,
     (const char *name, void **found, unsigned, unsigned long long,
      cudaDriverEntryPointQueryResult *how),
     *found = driver_function(name);
     if (how) *how = *found ? cudaDriverEntryPointSuccess
                            : cudaDriverEntryPointSymbolNotFound)
}
