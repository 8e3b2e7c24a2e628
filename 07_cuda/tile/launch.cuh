/*
 * Chooses the instance of a kernel that is compiled for several head sizes and
 * types.
 */
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

#include "07_cuda/rung.h"

#if defined __CUDACC_VER_MAJOR__ &&                                            \
    100 * __CUDACC_VER_MAJOR__ + __CUDACC_VER_MINOR__ < 1205
#error "chapter 07 needs CUDA 12.5 or later"
#endif

/* A compile-time constant as an argument. */
template <int n> struct constant {
    __host__ __device__ constexpr operator int() const
    {
        return n;
    }
};

/* Returns start(D) with the problem's D, one of these sizes, as a constant. */
template <int... sizes, class Start>
static int for_D(const rung_problem *p, Start start)
{
    int error = cudaErrorInvalidValue;

    (void)((p->D == sizes && (error = start(constant<sizes>()), true)) || ...);
    return error;
}

/* Returns start(T(), D); T is the problem's type, bf16 or fp16. */
template <int... sizes, class Start>
static int for_type_and_D(const rung_problem *p, Start start)
{
    return for_D<sizes...>(p, [=](auto D) {
        return p->type == BF16 ? start(__nv_bfloat16(), D) : start(__half(), D);
    });
}

/*
 * Caches data from the driver that a launch needs. A call of the driver takes
 * microseconds, as long as a small kernel. So get() calls find(&data) only if
 * the problem differs from the last one. It returns 0 or a cudaError_t. Not
 * thread-safe.
 */
template <class Data, class Problem = rung_problem> struct cached : Data {
    Problem problem; /* compared byte by byte */
    bool valid;

    template <class Find> int get(const Problem *p, Find find)
    {
        if (valid && memcmp(&problem, p, sizeof problem) == 0)
            return 0;
        int error = find((Data *)this);

        memcpy(&problem, p, sizeof problem);
        valid = !error;
        return error;
    }
};

/* Allows a kernel to use so many bytes of dynamic shared memory. CUDA requires
 * this above 48 KB. Returns 0 or a cudaError_t. */
template <class Kernel> static int allow(Kernel kernel, int bytes)
{
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

struct no_data {
};

/* The same, but only if the problem differs from the last one. */
template <auto *kernel> static int allow_once(const rung_problem *p, int bytes)
{
    static cached<no_data> allowed;

    return allowed.get(p, [=](no_data *) { return allow(kernel, bytes); });
}

/* Returns a grid with a block for each tile of Br queries of each head. */
static inline dim3 grid_of(const rung_problem *p, int Br)
{
    return dim3((p->Nq + Br - 1) / Br, p->heads);
}
