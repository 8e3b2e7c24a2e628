/* errors.cpp: see errors.h. On a GPU a launch with impossible dimensions is
 * told by cudaGetLastError alone, while an error inside a kernel is also
 * returned by whatever waits for the kernel. Here no error is for ever: once
 * it was asked for, the next launch runs. */
#include "07_cuda/cuda_on_cpu/tell/tell.h"

#include "07_cuda/cuda_on_cpu/findings.h"

namespace
{
cudaError_t last, execution;
cudaError_t unasked; /* a failed launch's, until somebody asks */
emu::Site unasked_launch;
} // namespace

cudaError_t emu::api_error(cudaError_t error)
{
    return last = error;
}

void emu::launch_error(cudaError_t error, Site launch)
{
    last = unasked = error;
    unasked_launch = launch;
    if (error != cudaErrorInvalidConfiguration &&
        error != cudaErrorInvalidValue)
        execution = error;
}

void emu::report_unchecked_error()
{
    if (unasked == cudaSuccess)
        return;
    finding("unchecked error", unasked_launch,
            "this launch failed (%s) and nobody asked cudaGetLastError",
            cudaGetErrorString(unasked));
    unasked = cudaSuccess;
}

cudaError_t cudaPeekAtLastError(void)
{
    unasked = cudaSuccess;
    return last;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last = execution = cudaSuccess;
    return error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    if (execution != cudaSuccess)
        unasked = cudaSuccess;
    return execution;
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorNoKernelImageForDevice:
        return "no kernel image is available for execution on the device";
    case cudaErrorNotReady:
        return "device not ready";
    case cudaErrorIllegalAddress:
        return "an illegal memory access was encountered";
    case cudaErrorLaunchTimeout:
        return "the launch timed out and was terminated";
    case cudaErrorMisalignedAddress:
        return "misaligned address";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    }
    return "unknown error";
}
