/* errors.cpp: see messages.h. As on a GPU, cudaGetLastError returns the error
 * of a launch with invalid dimensions. Every call that waits for a kernel
 * returns the kernel's error. Unlike on a GPU, the error of a kernel is not
 * sticky: later launches run, and cudaGetLastError clears the error. */
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

#include "tools/emulator/cuda_on_cpu/findings.h"
#include "tools/emulator/cuda_on_cpu/settings.h"

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
struct {
    cudaError_t error;
    const char *name, *text;
} const errors[] = {
#define EMU_ERROR(name, number, text) {name, #name, text},
    EMU_ERRORS(EMU_ERROR)
#undef EMU_ERROR
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
