/* cuda_pipeline.h: the C functions of NVIDIA's header for cp.async. */
#pragma once
#include <cuda_runtime.h>

__forceinline__ static void __pipeline_memcpy_async(void *to, const void *from,
                                                    size_t bytes,
                                                    size_t zeros = 0)
{
    emu::cp_async(to, from, (unsigned)bytes, (unsigned)(bytes - zeros));
}
static inline void __pipeline_commit()
{
    emu::cp_async_commit();
}
static inline void __pipeline_wait_prior(unsigned groups)
{
    emu::cp_async_wait(groups);
}
