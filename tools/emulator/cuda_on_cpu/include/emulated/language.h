/* language.h: CUDA's keywords, built-in variables and barriers as C++. The
 * __shared__ variables are thread_local, so they are in one segment. */
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__ EMU_VARIABLE
#define __grid_constant__
#define __managed__     EMU_VARIABLE
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

/* A variable's symbol contains this tag, so it is distinguished from the host's
 * (variables.cpp). cu2cpp.sed and translate.py add it to __device__ variables. */
#define EMU_VARIABLE __attribute__((abi_tag("emu_device")))

/* shared.cpp defines the array of `extern __shared__ T smem[];`. */
#define __shared__ thread_local

namespace emu
{
/* The place of a call in the user's source. */
struct Site {
    const char *file;
    int line;
    static constexpr Site here(const char *f = __builtin_FILE(),
                               int l = __builtin_LINE())
    {
        return {f, l};
    }
};

struct Index {
    unsigned x, y, z;
};

struct Builtins {
    Index thread, block, block_dim, grid_dim;
};
extern Builtins builtins;

void barrier(Site at);
void fence();                          /* __threadfence, see releases.cpp */
int barrier_count(bool vote, Site at); /* __syncthreads_count */

/* Returns the array of `extern __shared__ T name[];` (translate.py). Like nvcc,
 * reports a finding if the name has another type in the same file. */
void *dynamic_shared(const char *name, const char *type, Site at);
template <class T> T *dynamic_shared(const char *name, Site at = Site::here())
{
    return (T *)dynamic_shared(name, __PRETTY_FUNCTION__, at);
}

/* Ends the program with a message: the emulator does not support `what`. */
[[noreturn]] void cannot(const char *what, Site at = Site::here());
} // namespace emu

/* These are not macros, since host code often has its own dim3 blockDim. */
inline constexpr const emu::Index &threadIdx = emu::builtins.thread;
inline constexpr const emu::Index &blockIdx = emu::builtins.block;
inline constexpr const emu::Index &blockDim = emu::builtins.block_dim;
inline constexpr const emu::Index &gridDim = emu::builtins.grid_dim;
static constexpr int warpSize = 32;

static inline void __syncthreads(emu::Site at = emu::Site::here())
{
    emu::barrier(at);
}

static inline void __threadfence()
{
    emu::fence();
}
/* Does nothing, since the threads of a block run one at a time. */
static inline void __threadfence_block()
{
}
#define __threadfence_system __threadfence
