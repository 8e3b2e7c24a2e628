/* events.cpp: CUDA's stopwatch. A launch runs to its end before it returns,
 * so an event is the time at which it is recorded; these are the emulator's
 * times, and say nothing about a GPU. */
#include "07_cuda/cuda_on_cpu/include/cuda_runtime.h"

#include <time.h>

struct emu_event {
    timespec at;
};

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new emu_event();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    double s = (double)(to->at.tv_sec - from->at.tv_sec);
    double ns = (double)(to->at.tv_nsec - from->at.tv_nsec);
    *ms = (float)(s * 1e3 + ns * 1e-6);
    return cudaSuccess;
}
