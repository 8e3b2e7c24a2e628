/* on_device runs the kernel of an exercise on arrays of the host. */
#ifndef EXERCISE_ON_DEVICE_CUH
#define EXERCISE_ON_DEVICE_CUH

#include <cuda_runtime.h>

#include <cuda_on_cpu.h>

/* An array of n floats, which is an input or a result. */
struct device_array {
    const char *name;  /* in the messages of the emulator */
    const float *from; /* an input on the host, or null */
    float *to;         /* place of a result on the host, or null */
    size_t n;
    float *at; /* address on the device */
};

static inline device_array from_host(const char *name, const float *x, size_t n)
{
    return {name, x, nullptr, n, nullptr};
}

static inline device_array to_host(const char *name, float *x, size_t n)
{
    return {name, nullptr, x, n, nullptr};
}

static int copy_there(device_array &a, int error)
{
    size_t size = a.n * sizeof(float);

    if (!error)
        error = cudaMalloc(&a.at, size ? size : 1);
    cuda_on_cpu_name(a.at, a.name);
    if (!error && a.from)
        error = cudaMemcpy(a.at, a.from, size, cudaMemcpyHostToDevice);
    if (a.from)
        cuda_on_cpu_input(a.at);
    return error;
}

static int copy_back(device_array &a, int error)
{
    size_t size = a.n * sizeof(float);

    if (!error && a.to)
        error = cudaMemcpy(a.to, a.at, size, cudaMemcpyDeviceToHost);
    cudaFree(a.at);
    return error;
}

/* Allocates arrays on the device, copies inputs to them, calls launch with the
 * addresses, and copies results back. Returns 0 or the first cudaError_t. */
template <class Launch, class... Array> int on_device(Launch launch, Array... a)
{
    int error = 0;

    ((error = copy_there(a, error)), ...);
    if (!error) {
        cuda_on_cpu_add_launches(1); /* a student may launch several kernels */
        launch(a.at...);
        error = cudaGetLastError();
    }
    ((error = copy_back(a, error)), ...);
    return error;
}

#endif
