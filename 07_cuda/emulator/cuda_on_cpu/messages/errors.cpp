/* errors.cpp: see messages.h. As on a GPU, cudaGetLastError returns the error
 * of a launch with invalid dimensions. Every call that waits for a kernel
 * returns its error. Unlike on a GPU, the error of a kernel is not sticky:
 * later launches run, and cudaGetLastError clears the error. */
#include "07_cuda/emulator/cuda_on_cpu/messages/messages.h"

#include "07_cuda/emulator/cuda_on_cpu/findings.h"
#include "07_cuda/emulator/cuda_on_cpu/settings.h"

namespace
{
cudaError_t last, execution;
bool failed;
cudaError_t unread; /* error of a failed launch that was not read */
emu::Site unread_launch;
} // namespace

cudaError_t emu::api_error(cudaError_t error)
{
    return last = error;
}

void emu::launch_error(cudaError_t error, Site launch)
{
    failed = true;
    last = unread = error;
    unread_launch = launch;
    if (error != cudaErrorInvalidConfiguration &&
        error != cudaErrorInvalidValue)
        execution = error;
}

bool emu::any_launch_failed()
{
    return failed;
}

/* cuda-check reports nothing here, since it has printed the mistake. */
void emu::report_unchecked_error()
{
    if (unread == cudaSuccess || summarised)
        return;
    finding("unchecked error", unread_launch,
            "this launch failed (%s) and cudaGetLastError was not called",
            cudaGetErrorString(unread));
    unread = cudaSuccess;
}

cudaError_t cudaPeekAtLastError(void)
{
    unread = cudaSuccess;
    return last;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last = execution = cudaSuccess;
    return error;
}

cudaError_t emu::execution_error()
{
    if (execution != cudaSuccess)
        unread = cudaSuccess;
    return execution;
}

namespace
{
#define EMU_ERROR(name, text)                                                  \
    {                                                                          \
        name, #name, text                                                      \
    }
struct {
    cudaError_t error;
    const char *name, *text;
} const errors[] = {
    EMU_ERROR(cudaSuccess, "no error"),
    EMU_ERROR(cudaErrorInvalidValue, "invalid argument"),
    EMU_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    EMU_ERROR(cudaErrorInitializationError, "initialization error"),
    EMU_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    EMU_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    EMU_ERROR(cudaErrorAssert, "device-side assert triggered"),
    EMU_ERROR(cudaErrorNotSupported, "operation not supported"),
    EMU_ERROR(cudaErrorUnknown, "unknown error"),
    EMU_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    EMU_ERROR(cudaErrorNoKernelImageForDevice,
              "no kernel image is available for execution on the device"),
    EMU_ERROR(cudaErrorNotReady, "device not ready"),
    EMU_ERROR(cudaErrorIllegalAddress,
              "an illegal memory access was encountered"),
    EMU_ERROR(cudaErrorLaunchOutOfResources,
              "too many resources requested for launch"),
    EMU_ERROR(cudaErrorLaunchTimeout,
              "the launch timed out and was terminated"),
    EMU_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    EMU_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
};
} // namespace

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &e : errors)
        if (e.error == error)
            return e.text;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &e : errors)
        if (e.error == error)
            return e.name;
    return "unrecognized error code";
}
