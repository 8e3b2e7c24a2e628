/* implicit.h: what nvcc gives a file that asks for nothing. */
#pragma once
#define __DRIVER_TYPES_H__ /* by these helper_cuda.h asks */
#define __CUDA_RUNTIME_H__
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include <cuda_runtime.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "emulated/ptx_hopper_cpu.h"
#include "names.h"

/* Of mma.h: who includes it may, who uses it is told. */
namespace nvcuda::wmma
{
}

/* An array is named as the call names it. */
namespace emu
{
template <class T> struct Size {
    static constexpr size_t of = sizeof(T);
};
template <> struct Size<void> {
    static constexpr size_t of = 1;
};
template <class T>
cudaError_t malloc_as(const char *name, bool managed, T **p, size_t bytes,
                      unsigned = 0, Site at = Site::here())
{
    return allocate((void **)p, bytes, at, name, managed, Size<T>::of);
}
} // namespace emu
#define cudaMalloc(p, ...)        emu::malloc_as(#p, false, p, __VA_ARGS__)
#define cudaMallocManaged(p, ...) emu::malloc_as(#p, true, p, __VA_ARGS__)

#define __cvta_generic_to_shared(p) ((size_t)emu::shared_address(p))
