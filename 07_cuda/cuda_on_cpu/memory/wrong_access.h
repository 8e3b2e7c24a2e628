/* wrong_access.h: accesses that end the launch. On a GPU some do, and others
 * read or write a neighbour without a word; whatever came after would only be
 * confusing. pc, here as everywhere: the access's place in the kernel. */
#pragma once
#include "07_cuda/cuda_on_cpu/memory/arrays.h"

namespace emu
{
[[noreturn]] void misaligned(uintptr_t p, size_t bytes, uintptr_t pc);

/* Beyond what the launch gave smem[]; offset in shared memory. */
[[noreturn]] void beyond_dynamic(size_t offset, size_t bytes, Kind kind,
                                 uintptr_t pc);

/* Beyond this array, or in it after cudaFree; offset in the arena. */
[[noreturn]] void beyond_array(const Array &a, size_t offset, size_t bytes,
                               Kind kind, uintptr_t pc);

/* Neither global nor shared, nor the thread's own. */
[[noreturn]] void no_device_memory(const void *p, size_t bytes, Kind kind,
                                   uintptr_t pc);

/* For instructions that reach shared memory only. */
[[noreturn]] void not_shared(const void *p, uintptr_t pc);
} // namespace emu
