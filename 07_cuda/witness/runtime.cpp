/* runtime.cpp: CUDA's runtime, as far as these programs use it. All is done at
 * once: streams and events are nothing here, and no time passes. */
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "07_cuda/witness/allocations.h"
#include "07_cuda/witness/card.h"
#include "07_cuda/witness/launch.h"
#include "07_cuda/witness/registered.h"
#include "07_cuda/witness/tensor_map.h"

static cudaError_t last = cudaSuccess;

static cudaError_t said(cudaError_t error)
{
    return error ? last = error : error;
}

extern "C" {
/* --- Kernels ----------------------------------------------------------------- */

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

/* --- Memory ------------------------------------------------------------------ */

cudaError_t cudaMalloc(void **at, size_t bytes)
{
    *at = allocate(bytes);
    return said(*at ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void *at)
{
    return said(!at || release(at) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMallocAsync(void **at, size_t bytes, cudaStream_t)
{
    return cudaMalloc(at, bytes);
}
cudaError_t cudaFreeAsync(void *at, cudaStream_t)
{
    return cudaFree(at);
}
cudaError_t cudaMallocManaged(void **at, size_t bytes, unsigned)
{
    return cudaMalloc(at, bytes);
}
cudaError_t cudaMallocHost(void **at, size_t bytes)
{
    return cudaMalloc(at, bytes);
}
cudaError_t cudaFreeHost(void *at)
{
    return cudaFree(at);
}

/* What is said to be the device's has to be. */
static cudaError_t moved(void *to, const void *from, size_t bytes,
                         cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost;

    to_device |= kind == cudaMemcpyDeviceToDevice;
    from_device |= kind == cudaMemcpyDeviceToDevice;
    if (bytes && ((to_device && !allocated_at((u64)to, (int)bytes)) ||
                  (from_device && !allocated_at((u64)from, (int)bytes))))
        return said(cudaErrorInvalidValue);
    std::memmove(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind)
{
    return moved(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t)
{
    return moved(to, from, bytes, kind);
}
cudaError_t cudaMemset(void *at, int value, size_t bytes)
{
    if (bytes && !allocated_at((u64)at, (int)bytes))
        return said(cudaErrorInvalidValue);
    std::memset(at, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t)
{
    return cudaMemset(at, value, bytes);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t bytes, size_t offset, cudaMemcpyKind)
{
    const Registered *v = variable_of(symbol);

    if (!v || offset + bytes > v->bytes)
        return said(cudaErrorInvalidSymbol);
    std::memcpy((char *)v->at + offset, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, cudaMemcpyKind)
{
    const Registered *v = variable_of(symbol);

    if (!v || offset + bytes > v->bytes)
        return said(cudaErrorInvalidSymbol);
    std::memcpy(to, (const char *)v->at + offset, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *free = *total = (size_t)8 << 30;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int)
{
    *pool = nullptr;
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}

/* --- The device -------------------------------------------------------------- */

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int)
{
    switch (what) {
    case cudaDevAttrMultiProcessorCount:
        *value = card().sms;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = card().capability / 10;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = card().capability % 10;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = card().shared << 10;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = card().shared_sm << 10;
        break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = card().registers;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = card().threads_sm;
        break;
    case cudaDevAttrL2CacheSize:
        *value = card().L2 << 20;
        break;
    case cudaDevAttrWarpSize:
        *value = WIDTH;
        break;
    default:
        *value = 0;
    }
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    std::memset(p, 0, sizeof *p);
    std::snprintf(p->name, sizeof p->name, "%s", card().title);
    p->major = card().capability / 10;
    p->minor = card().capability % 10;
    p->multiProcessorCount = card().sms;
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerBlockOptin = (size_t)card().shared << 10;
    p->sharedMemPerMultiprocessor = (size_t)card().shared_sm << 10;
    p->regsPerBlock = p->regsPerMultiprocessor = card().registers;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsPerMultiProcessor = card().threads_sm;
    p->warpSize = WIDTH;
    p->l2CacheSize = card().L2 << 20;
    p->totalGlobalMem = (size_t)8 << 30;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int)
{
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize()
{
    return last;
}
cudaError_t cudaDeviceReset()
{
    return cudaSuccess;
}
cudaError_t cudaGetLastError()
{
    return std::exchange(last, cudaSuccess);
}
cudaError_t cudaPeekAtLastError()
{
    return last;
}
const char *cudaGetErrorName(cudaError_t error)
{
    static char name[40];

    if (error == cudaSuccess)
        return "no error";
    std::snprintf(name, sizeof name, "CUDA's error %d", (int)error);
    return name;
}
const char *cudaGetErrorString(cudaError_t error)
{
    return cudaGetErrorName(error);
}

/* --- Streams and events: nothing waits, and a millisecond passes ------------- */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = nullptr;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = nullptr;
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = nullptr;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1;
    return cudaSuccess;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned,
                                 unsigned long long,
                                 cudaDriverEntryPointQueryResult *how)
{
    *found = driver_function(name);
    if (how)
        *how = *found ? cudaDriverEntryPointSuccess
                      : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
}
