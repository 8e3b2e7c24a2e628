/* runtime.cpp: the supported functions of CUDA's runtime library, except those
 * of launch.cpp and copies.cpp. No call is asynchronous. All times are NaN. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <map>
#include <utility>

#include "tools/emulator/ptx_interpreter/machine.h"

static cudaError_t last = cudaSuccess;

/* Stores an error for cudaGetLastError. Returns its argument. */
cudaError_t set_error(cudaError_t error)
{
    return error ? last = error : error;
}

static bool is_on_device(const void *at, size_t bytes)
{
    return !bytes || allocated_at((u64)at, bytes);
}

/* Makes `name` an alias of `as`. Calls may have more arguments (a stream). */
#define ALSO(name, as) asm(".globl " #name "\n.set " #name ", " #as);

extern "C" {
cudaError_t cudaMalloc(void **at, size_t bytes)
{
    *at = allocate(bytes);
    return set_error(*at ? cudaSuccess : cudaErrorMemoryAllocation);
}
ALSO(cudaMallocAsync, cudaMalloc)
ALSO(cudaMallocManaged, cudaMalloc)

cudaError_t cudaFree(void *at)
{
    return set_error(!at || release(at) ? cudaSuccess : cudaErrorInvalidValue);
}
ALSO(cudaFreeAsync, cudaFree)

cudaError_t cudaMemcpy(void *to, const void *from, size_t n,
                       cudaMemcpyKind kind)
{
    bool within = kind == cudaMemcpyDeviceToDevice;
    bool to_device = within || kind == cudaMemcpyHostToDevice;
    bool from_device = within || kind == cudaMemcpyDeviceToHost;

    if ((to_device && !is_on_device(to, n)) ||
        (from_device && !is_on_device(from, n)))
        return set_error(cudaErrorInvalidValue);
    std::memmove(to, from, n);
    return cudaSuccess;
}
ALSO(cudaMemcpyAsync, cudaMemcpy)

cudaError_t cudaMemset(void *at, int value, size_t n)
{
    if (!is_on_device(at, n))
        return set_error(cudaErrorInvalidValue);
    std::memset(at, value, n);
    return cudaSuccess;
}
ALSO(cudaMemsetAsync, cudaMemset)

cudaError_t cudaMemGetInfo(size_t *free, size_t *all)
{
    *free = *all = (size_t)8 << 30;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    const Card &c = card();

    std::memset(p, 0, sizeof *p);
    std::snprintf(p->name, sizeof p->name, "%s (interpreted)", c.title);
    p->major = c.capability / 10, p->minor = c.capability % 10;
    p->multiProcessorCount = c.sms;
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerBlockOptin = (size_t)c.shared << 10;
    p->regsPerBlock = CARDS_REGISTERS;
    p->maxThreadsPerBlock = 1024, p->warpSize = WIDTH;
    return cudaMemGetInfo(&p->totalGlobalMem, &p->totalGlobalMem);
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int)
{
    const Card &c = card();
    const std::map<cudaDeviceAttr, int> all = {
        {cudaDevAttrMultiProcessorCount, c.sms},
        {cudaDevAttrComputeCapabilityMajor, c.capability / 10},
        {cudaDevAttrComputeCapabilityMinor, c.capability % 10},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, c.shared << 10},
        {cudaDevAttrWarpSize, WIDTH},
        {cudaDevAttrKernelExecTimeout, std::getenv("PTX_DISPLAY") != nullptr},
    };

    if (!all.count(what))
        return set_error(cudaErrorNotSupported);
    *value = all.at(what);
    return cudaSuccess;
}

cudaError_t cudaPeekAtLastError()
{
    return last;
}
ALSO(cudaDeviceSynchronize, cudaPeekAtLastError)
cudaError_t cudaGetLastError()
{
    return std::exchange(last, cudaSuccess);
}
const char *cudaGetErrorString(cudaError_t error)
{
    static char text[40];

    std::snprintf(text, sizeof text, "CUDA error %d", (int)error);
    return error ? text : "no error";
}
ALSO(cudaGetErrorName, cudaGetErrorString)

/* --- Calls without an effect, or with a constant result ------------------- */

cudaError_t cudaSetDevice(int)
{
    return cudaSuccess;
}
ALSO(cudaDeviceReset, cudaSetDevice)
ALSO(__cudaRegisterFatBinaryEnd, cudaSetDevice)
ALSO(__cudaUnregisterFatBinary, cudaSetDevice)
ALSO(cudaStreamDestroy, cudaSetDevice)
ALSO(cudaStreamSynchronize, cudaSetDevice)
ALSO(cudaEventRecord, cudaSetDevice)
ALSO(cudaEventSynchronize, cudaSetDevice)
ALSO(cudaEventDestroy, cudaSetDevice)
ALSO(cudaMemPoolSetAttribute, cudaSetDevice)
ALSO(cudaMemPoolTrimTo, cudaSetDevice)

cudaError_t cudaEventCreate(cudaEvent_t *made)
{
    *made = nullptr;
    return cudaSuccess;
}
ALSO(cudaEventCreateWithFlags, cudaEventCreate)
ALSO(cudaStreamCreate, cudaEventCreate)
ALSO(cudaDeviceGetDefaultMemPool, cudaEventCreate)

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = NAN;
    return cudaSuccess;
}
}
