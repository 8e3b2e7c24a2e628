/* host.h: the supported part of CUDA's host API (host_api.cpp). */
#pragma once
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

/* Calls X(name, number, text) for each error. */
#define EMU_ERRORS(X)                                                          \
    X(cudaSuccess, 0, "no error")                                              \
    X(cudaErrorInvalidValue, 1, "invalid argument")                            \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                           \
    X(cudaErrorInitializationError, 3, "initialization error")                 \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")      \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")            \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                   \
    X(cudaErrorNoKernelImageForDevice, 209,                                    \
      "no kernel image is available for execution on the device")              \
    X(cudaErrorNotReady, 600, "device not ready")                              \
    X(cudaErrorIllegalAddress, 700,                                            \
      "an illegal memory access was encountered")                              \
    X(cudaErrorLaunchOutOfResources, 701,                                      \
      "too many resources requested for launch")                               \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")  \
    X(cudaErrorAssert, 710, "device-side assert triggered")                    \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                   \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")               \
    X(cudaErrorNotSupported, 801, "operation not supported")                   \
    X(cudaErrorUnknown, 999, "unknown error")
#define EMU_ERROR(name, number, text) name = number,
enum cudaError_t { EMU_ERRORS(EMU_ERROR) };
#undef EMU_ERROR
typedef cudaError_t cudaError;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum { cudaSharedmemCarveoutMaxShared = 100 };

namespace emu
{
/* Managed memory counts as written: no cell records stores by the host. */
cudaError_t allocate(void **p, size_t bytes, Site at,
                     const char *name = nullptr, bool managed = false,
                     size_t element = 1);
/* A symbol is memory outside the arena that kernels may access by a pointer: a
 * __device__ variable, or registered memory of the host. */
void add_symbol(const void *p, size_t bytes);
bool in_symbol(const void *p, size_t bytes);
cudaError_t set_attribute(const void *function, cudaFuncAttribute what,
                          int value, Site at);
} // namespace emu

template <class T>
cudaError_t cudaMalloc(T **p, size_t bytes, emu::Site at = emu::Site::here())
{
    return emu::allocate(reinterpret_cast<void **>(p), bytes, at);
}

template <class K>
cudaError_t cudaFuncSetAttribute(K *kernel, cudaFuncAttribute what, int value,
                                 emu::Site at = emu::Site::here())
{
    return emu::set_attribute(reinterpret_cast<const void *>(kernel), what,
                              value, at);
}

cudaError_t cudaFree(void *p, emu::Site at = emu::Site::here());
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind, emu::Site at = emu::Site::here());
cudaError_t cudaMemset(void *p, int byte, size_t bytes,
                       emu::Site at = emu::Site::here());
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaDeviceSynchronize(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

typedef struct emu_event *cudaEvent_t;
cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned = 0);
#define cudaEventCreateWithFlags cudaEventCreate
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to,
                                 emu::Site at = emu::Site::here());

/* CUDA_ON_CPU_ARCH sets major, minor and sharedMemPerBlockOptin. There are only
 * two multiprocessors. So if the grid depends on their number, each block loops
 * several times. */
struct cudaDeviceProp {
    char name[256] = "a CPU (cuda_on_cpu)";
    int major = 0, minor = 0, multiProcessorCount = 2, warpSize = 32;
    int maxThreadsPerBlock = 1024, maxThreadsPerMultiProcessor = 2048;
    int maxBlocksPerMultiProcessor = 32, maxThreadsDim[3] = {1024, 1024, 64};
    int maxGridSize[3] = {0x7fffffff, 65535, 65535};
    size_t totalGlobalMem = (size_t)16 << 30, totalConstMem = 65536;
    size_t sharedMemPerBlock = 49152, sharedMemPerBlockOptin = 232448;
    size_t sharedMemPerMultiprocessor = 232448;
    int regsPerBlock = 65536, regsPerMultiprocessor = 65536;
    int clockRate = 1410000, memoryClockRate = 1593000;
    int memoryBusWidth = 5120, l2CacheSize = 40 << 20;
    int concurrentKernels = 1, asyncEngineCount = 1, unifiedAddressing = 1;
    int managedMemory = 1, canMapHostMemory = 1;
    int integrated = 0, cooperativeLaunch = 0, computeMode = 0;
};
/* The value of an attribute is the offset of its member in cudaDeviceProp. */
#define EMU_ATTRIBUTE(name, member)                                            \
    cudaDevAttr##name = offsetof(cudaDeviceProp, member)
enum cudaDeviceAttr {
    EMU_ATTRIBUTE(MaxThreadsPerBlock, maxThreadsPerBlock),
    EMU_ATTRIBUTE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    EMU_ATTRIBUTE(WarpSize, warpSize),
    EMU_ATTRIBUTE(ClockRate, clockRate),
    EMU_ATTRIBUTE(MultiProcessorCount, multiProcessorCount),
    EMU_ATTRIBUTE(Integrated, integrated),
    EMU_ATTRIBUTE(ComputeMode, computeMode),
    EMU_ATTRIBUTE(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    EMU_ATTRIBUTE(ComputeCapabilityMajor, major),
    EMU_ATTRIBUTE(ComputeCapabilityMinor, minor),
    EMU_ATTRIBUTE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    EMU_ATTRIBUTE(GpuOverlap, asyncEngineCount),
    EMU_ATTRIBUTE(AsyncEngineCount, asyncEngineCount),
    EMU_ATTRIBUTE(ConcurrentKernels, concurrentKernels),
    EMU_ATTRIBUTE(CanMapHostMemory, canMapHostMemory),
    EMU_ATTRIBUTE(ManagedMemory, managedMemory)
};
#undef EMU_ATTRIBUTE
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);

/* --- Streams (streams.h) -------------------------------------------------- */

#define cudaMallocAsync(p, bytes, stream) cudaMalloc(p, bytes)
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream,
                          emu::Site at = emu::Site::here());
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream = nullptr,
                            emu::Site at = emu::Site::here());
cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes,
                            cudaStream_t stream = nullptr,
                            emu::Site at = emu::Site::here());
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
#define CUDART_CB
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status,
                                     void *data);
typedef void (*cudaHostFn_t)(void *data);
/* Work in a stream runs at once, and so does a callback. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data);
#define cudaStreamCreate(stream) cudaStreamCreateWithFlags(stream, 0)
#define cudaStreamQuery          cudaStreamSynchronize
#define cudaEventQuery           cudaEventSynchronize
enum { cudaStreamDefault, cudaStreamNonBlocking };
enum { cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming };
enum { cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };

/* Functions that do nothing, or only store a result. */
typedef struct emu_pool *cudaMemPool_t;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
#define EMU_HOST(name, parameters, does)                                       \
    inline cudaError_t name parameters                                         \
    {                                                                          \
        does;                                                                  \
        return cudaSuccess;                                                    \
    }
EMU_HOST(cudaStreamDestroy, (...), )
EMU_HOST(cudaSetDevice, (...), )
EMU_HOST(cudaSetDeviceFlags, (...), )
EMU_HOST(cudaDeviceSetLimit, (...), )
EMU_HOST(cudaMemPrefetchAsync, (...), )
EMU_HOST(cudaMemAdvise, (...), )
EMU_HOST(cudaProfilerStart, (...), )
EMU_HOST(cudaProfilerStop, (...), )
EMU_HOST(cudaMemPoolSetAttribute, (...), )
EMU_HOST(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int),
         *pool = nullptr)
EMU_HOST(cudaGetDevice, (int *device), *device = 0)
EMU_HOST(cudaGetDeviceCount, (int *count), *count = 1)
EMU_HOST(cudaRuntimeGetVersion, (int *version), *version = 12000)
EMU_HOST(cudaMemGetInfo, (size_t * free, size_t *total),
         *free = *total = (size_t)16 << 30)
#undef EMU_HOST
#define cudaDriverGetVersion cudaRuntimeGetVersion
#define cudaDeviceReset      cudaDeviceSynchronize

/* --- Host memory and symbols ---------------------------------------------- */

template <class T>
cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned = 0,
                           emu::Site at = emu::Site::here())
{
    return emu::allocate(reinterpret_cast<void **>(p), bytes, at, nullptr,
                         true);
}
#define cudaHostAlloc cudaMallocHost
#define cudaFreeHost  cudaFree
/* __constant__ and __device__ variables are ordinary variables. */
template <class T>
cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes,
                               size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    memcpy((char *)const_cast<void *>((const void *)&symbol) + offset, from,
           bytes);
    return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                 size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    memcpy(to, (const char *)&symbol + offset, bytes);
    return cudaDeviceSynchronize();
}

/* --- Occupancy: only by the number of threads ----------------------------- */

enum { cudaComputeModeDefault, cudaComputeModeProhibited = 2 };

template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K,
                                                          int threads, size_t)
{
    *blocks = threads > 0 && threads <= 1024 ? 2048 / threads : 0;
    return cudaSuccess;
}
template <class K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, K,
                                               size_t = 0, int limit = 0)
{
    *block = limit && limit < 256 ? limit : 256;
    *grid = 2 * 2048 / *block;
    return cudaSuccess;
}
