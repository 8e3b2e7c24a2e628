/* Helpers for launches. */
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

#include "07_cuda/rung.h"

#if defined __CUDACC_VER_MAJOR__ &&                                            \
    100 * __CUDACC_VER_MAJOR__ + __CUDACC_VER_MINOR__ < 1200
#error "chapter 07 needs CUDA 12.0 or later"
#endif

/* The compile-time constant n as a type, so that a lambda can take it. */
template <int n> struct constant {
    __host__ __device__ constexpr operator int() const
    {
        return n;
    }
};

/* Calls start(D) with the problem's D as a compile-time constant. Returns the
 * result of start, or cudaErrorInvalidValue if D is not in sizes. */
template <int... sizes, class Start>
static int for_D(const rung_problem *p, Start start)
{
    int error = cudaErrorInvalidValue;

    (void)((p->D == sizes && (error = start(constant<sizes>()), true)) || ...);
    return error;
}

/* Like for_D, but calls start(T(), D) with T bf16 or fp16. */
template <int... sizes, class Start>
static int for_type_and_D(const rung_problem *p, Start start)
{
    return for_D<sizes...>(p, [=](auto D) {
        return p->type == BF16 ? start(__nv_bfloat16(), D) : start(__half(), D);
    });
}

/* Caches the data that a launch needs from the driver, because a driver call
 * takes microseconds, as long as a small kernel. get() calls find(&data) if the
 * problem or the current device has changed or the last call failed. get() is
 * not thread-safe. */
template <class Data, class Problem = rung_problem> struct cached : Data {
    Problem problem; /* compared byte by byte */
    int device;
    bool valid;

    template <class Find> int get(const Problem *p, Find find)
    {
        int current, error = cudaGetDevice(&current);

        if (!error && valid && device == current &&
            memcmp(&problem, p, sizeof problem) == 0)
            return 0;
        if (!error)
            error = find((Data *)this);
        memcpy(&problem, p, sizeof problem);
        device = current;
        valid = !error;
        return error;
    }
};

/* CUDA requires this permission for dynamic shared memory above 48 KiB. */
template <class Kernel> static int allow(Kernel kernel, int bytes)
{
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

struct no_data {
};

/* Calls allow() only if the problem or the device differs from that of the last
 * call. */
template <auto *kernel> static int allow_once(const rung_problem *p, int bytes)
{
    static cached<no_data> allowed;

    return allowed.get(p, [=](no_data *) { return allow(kernel, bytes); });
}

/* Stores the number of multiprocessors of the current device. */
static inline int multiprocessors(int *n)
{
    int device, error = cudaGetDevice(&device);

    return error ? error
                 : (int)cudaDeviceGetAttribute(
                       n, cudaDevAttrMultiProcessorCount, device);
}

/* Returns a grid with a block for each tile of Br queries of each head. */
static inline dim3 grid_of(const rung_problem *p, int Br)
{
    return dim3((p->Nq + Br - 1) / Br, p->heads);
}
