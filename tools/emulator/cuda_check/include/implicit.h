/* implicit.h: the names that nvcc declares without an include, and those of
 * headers that cuda_check.py removes. */
#pragma once
#define __DRIVER_TYPES_H__ /* helper_cuda.h tests these two macros */
#define __CUDA_RUNTIME_H__
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include <cuda_runtime.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "emulated/instructions.h"
#include "names.h"

/* A file may include mma.h, but a use of its names is a compile error. */
namespace nvcuda::wmma
{
}

/* Messages name an array after the pointer that was passed to cudaMalloc. */
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
#define cudaMallocHost            cudaMallocManaged
#undef cudaHostAlloc
#define cudaHostAlloc cudaMallocManaged

#define __cvta_generic_to_shared(p) ((size_t)emu::shared_address(p))
