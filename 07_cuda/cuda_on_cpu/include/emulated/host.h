/* host.h: the part of CUDA's host API that the ladder uses (host_api.cpp,
 * events.cpp). Device memory is a piece of the emulator's own arena. */
#pragma once
#include <stddef.h>

#include "launch.h"

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorIllegalAddress = 700,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719
};

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum { cudaSharedmemCarveoutMaxShared = 100 };

namespace emu
{
cudaError_t allocate(void **p, size_t bytes, Site at);
cudaError_t set_attribute(const void *function, cudaFuncAttribute what,
                          int value, Site at);
} // namespace emu

template <class T>
cudaError_t cudaMalloc(T **p, size_t bytes, emu::Site at = emu::Site::here())
{
    return emu::allocate(reinterpret_cast<void **>(p), bytes, at);
}

/* In a stream's order: here everything is. */
template <class T>
cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t,
                            emu::Site at = emu::Site::here())
{
    return emu::allocate(reinterpret_cast<void **>(p), bytes, at);
}

/* A pool that never gives anything back: there is nothing to set. */
typedef struct emu_pool *cudaMemPool_t;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int)
{
    *pool = nullptr;
    return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr,
                                           void *)
{
    return cudaSuccess;
}

template <class K>
cudaError_t cudaFuncSetAttribute(K *kernel, cudaFuncAttribute what, int value,
                                 emu::Site at = emu::Site::here())
{
    return emu::set_attribute(reinterpret_cast<const void *>(kernel), what,
                              value, at);
}

cudaError_t cudaFree(void *p, emu::Site at = emu::Site::here());
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream,
                          emu::Site at = emu::Site::here());
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind, emu::Site at = emu::Site::here());
cudaError_t cudaMemset(void *p, int byte, size_t bytes,
                       emu::Site at = emu::Site::here());
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaDeviceSynchronize(void);
const char *cudaGetErrorString(cudaError_t error);

typedef struct emu_event *cudaEvent_t;
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

/* There is one device, the CPU, of two multiprocessors: a grid that is made to
 * fit the device must take several turns. */
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device);
