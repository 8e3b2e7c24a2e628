/*
 * Starting a kernel that is compiled for several head sizes and types: the one
 * that the problem asks for is found here, so that a rung says only what it
 * starts it with.
 */
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

#include "07_cuda/rung.h"

/* A number that is known when a template is compiled. */
template <int n> struct constant {
    __host__ __device__ constexpr operator int() const
    {
        return n;
    }
};

/* start(D), with the problem's D as a constant; it is one of these sizes. */
template <int... sizes, class Start>
static int for_D(const rung_problem *p, Start start)
{
    int error = cudaErrorInvalidValue;

    (void)((p->D == sizes && (error = start(constant<sizes>()), true)) || ...);
    return error;
}

/* start(T(), D), with the problem's type, bf16 or fp16, as well. */
template <int... sizes, class Start>
static int for_type_and_D(const rung_problem *p, Start start)
{
    return for_D<sizes...>(p, [=](auto D) {
        return p->type == BF16 ? start(__nv_bfloat16(), D) : start(__half(), D);
    });
}

/* Lets a kernel have so many bytes of shared memory: beyond 48 KB it must ask.
 * Returns 0 or a cudaError_t. */
template <class Kernel> static int allow(Kernel kernel, int bytes)
{
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

/* What cudaFreeAsync frees stays in the pool: else every synchronisation gives
 * it back, and the next start must have it mapped again. */
static inline int keep_freed_memory()
{
    cudaMemPool_t pool;
    uint64_t most = UINT64_MAX;
    int error = cudaDeviceGetDefaultMemPool(&pool, 0);

    return error ? error
                 : (int)cudaMemPoolSetAttribute(
                       pool, cudaMemPoolAttrReleaseThreshold, &most);
}

/*
 * What a launch needs and only the driver knows. To ask it takes the host
 * microseconds, and a small kernel takes no longer: so the answer is kept, and
 * find(&answer) is called again for another problem only. It returns 0 or a
 * cudaError_t. Rungs are started by one thread.
 */
template <class Answer> struct kept : Answer {
    rung_problem asked; /* compared byte by byte: at worst we ask again */
    bool known;

    template <class Find> int get(const rung_problem *p, Find find)
    {
        if (known && memcmp(&asked, p, sizeof asked) == 0)
            return 0;
        int error = find((Answer *)this);

        memcpy(&asked, p, sizeof asked);
        known = !error;
        return error;
    }
};

/* A block for each tile of Br queries of each head. */
static inline dim3 grid_of(const rung_problem *p, int Br)
{
    return dim3((p->Nq + Br - 1) / Br, p->heads);
}
