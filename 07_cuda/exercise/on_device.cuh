/*
 * What each exercise's launch.cu needs around its launch.
 */
#ifndef EXERCISE_ON_DEVICE_CUH
#define EXERCISE_ON_DEVICE_CUH

#include <cuda_runtime.h>

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"

/*
 * Copies n floats to the device, calls launch(from, to), which is to fill m,
 * and copies these back. Returns the first cudaError_t that was not 0.
 */
template <class Launch>
int on_device(const float *in, size_t n, float *out, size_t m, Launch launch)
{
    float *from = nullptr, *to = nullptr;
    int error = cudaMalloc(&from, n ? n * sizeof(float) : 1);

    if (!error)
        error = cudaMalloc(&to, m ? m * sizeof(float) : 1);
    if (!error)
        error = cudaMemcpy(from, in, n * sizeof(float), cudaMemcpyHostToDevice);
    cuda_on_cpu_name(from, "in");
    cuda_on_cpu_name(to, "out");
    if (!error) {
        launch(from, to);
        error = cudaGetLastError();
    }
    if (!error)
        error = cudaMemcpy(out, to, m * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    return error;
}

#endif
