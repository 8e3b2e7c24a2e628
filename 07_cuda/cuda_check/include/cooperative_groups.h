/* cooperative_groups.h: the groups of a block: all of it, tiles of a warp, the
 * lanes that are here. Page: docs/cuda_check.md. */
#pragma once
#include <cuda_runtime.h>

namespace cooperative_groups
{
typedef emu::Site Site;

struct thread_block {
    void sync(Site at = Site::here()) const
    {
        emu::barrier(at);
    }
    static unsigned thread_rank()
    {
        const emu::Builtins &b = emu::builtins;
        return b.thread.x +
               b.block_dim.x * (b.thread.y + b.block_dim.y * b.thread.z);
    }
    static unsigned size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static dim3 group_index()
    {
        return {blockIdx.x, blockIdx.y, blockIdx.z};
    }
    static dim3 thread_index()
    {
        return {threadIdx.x, threadIdx.y, threadIdx.z};
    }
};

#define EMU_SHUFFLE(name, lane)                                                \
    template <class T> T name(T v, lane by, Site at = Site::here()) const      \
    {                                                                          \
        return __##name##_sync(mask, v, by, (int)n, at);                       \
    }

/* So many lanes of a warp, side by side: 1 to 32. */
struct lanes {
    unsigned n, mask;

    explicit lanes(unsigned n_)
        : n(n_), mask((n_ == 32 ? ~0u : (1u << n_) - 1)
                      << (unsigned)emu::lane() / n_ * n_)
    {
        if (n > 32)
            emu::cannot("a tile of more than one warp");
    }
    lanes(unsigned n_, unsigned mask_) : n(n_), mask(mask_)
    {
    }
    void sync(Site at = Site::here()) const
    {
        __syncwarp(mask, at);
    }
    unsigned thread_rank() const
    {
        return (unsigned)__builtin_popcount(mask & ((1u << emu::lane()) - 1));
    }
    unsigned size() const
    {
        return n;
    }
    unsigned meta_group_rank() const
    {
        return thread_block::thread_rank() / n;
    }
    unsigned meta_group_size() const
    {
        return (thread_block::size() + n - 1) / n;
    }
    unsigned ballot(int predicate, Site at = Site::here()) const
    {
        unsigned all = __ballot_sync(mask, predicate, at) & mask;
        return all >> __builtin_ctz(mask);
    }
    int any(int predicate, Site at = Site::here()) const
    {
        return ballot(predicate, at) != 0;
    }
    EMU_SHUFFLE(shfl, int)
    EMU_SHUFFLE(shfl_down, unsigned)
    EMU_SHUFFLE(shfl_up, unsigned)
    EMU_SHUFFLE(shfl_xor, int)
};
#undef EMU_SHUFFLE

template <unsigned size_of> struct tile : lanes {
    tile() : lanes(size_of)
    {
    }
};
template <unsigned n, class Parent = void> using thread_block_tile = tile<n>;

struct coalesced_group : lanes {
    coalesced_group()
        : lanes((unsigned)__builtin_popcount(emu::active_lanes()),
                emu::active_lanes())
    {
    }
};

/* Blocks run one after another here: none can wait for another. */
struct grid_group {
    void sync(Site at = Site::here()) const
    {
        emu::cannot("a barrier of the whole grid", at);
    }
    static unsigned long long thread_rank()
    {
        const emu::Builtins &b = emu::builtins;
        unsigned long long row =
            b.block.y + (unsigned long long)b.grid_dim.y * b.block.z;
        return (b.block.x + b.grid_dim.x * row) * thread_block::size() +
               thread_block::thread_rank();
    }
    static unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z *
               thread_block::size();
    }
};

template <unsigned n> struct block_tile_memory {
};
template <class... Memory> thread_block this_thread_block(Memory &...)
{
    return {};
}
static inline coalesced_group coalesced_threads()
{
    return {};
}
static inline grid_group this_grid()
{
    return {};
}
template <unsigned n, class Parent> tile<n> tiled_partition(const Parent &)
{
    return {};
}
template <class Parent> lanes tiled_partition(const Parent &, unsigned n)
{
    return lanes(n);
}
template <class Group> void sync(const Group &g, Site at = Site::here())
{
    g.sync(at);
}

/* --- cooperative_groups/reduce.h ------------------------------------------- */

#define EMU_OPERATION(name, expression)                                        \
    template <class T> struct name {                                           \
        T operator()(T x, T y) const                                           \
        {                                                                      \
            return expression;                                                 \
        }                                                                      \
    };
EMU_OPERATION(plus, x + y)
EMU_OPERATION(less, y < x ? y : x)
EMU_OPERATION(greater, x < y ? y : x)
#undef EMU_OPERATION

template <class T, class Op>
T reduce(const lanes &g, T v, Op op, Site at = Site::here())
{
    for (int by = (int)g.size() / 2; by > 0; by /= 2)
        v = op(v, g.shfl_xor(v, by, at));
    return v;
}
} // namespace cooperative_groups
