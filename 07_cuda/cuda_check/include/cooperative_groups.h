/* cooperative_groups.h: the groups of a block: all of it, tiles of a warp, the
 * lanes that are here. Page: docs/cuda_check.md. */
#pragma once
#include <cuda_runtime.h>

namespace cooperative_groups
{
typedef emu::Site Site;

class thread_block
{
  public:
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
    static unsigned num_threads()
    {
        return size();
    }
    static dim3 group_index()
    {
        return {blockIdx.x, blockIdx.y, blockIdx.z};
    }
    static dim3 thread_index()
    {
        return {threadIdx.x, threadIdx.y, threadIdx.z};
    }
    static dim3 group_dim()
    {
        return {blockDim.x, blockDim.y, blockDim.z};
    }
};

/* So many lanes of a warp, side by side: 1 to 32. */
class lanes
{
  protected:
    unsigned n, mask;

  public:
    explicit lanes(unsigned n_)
        : n(n_), mask((n_ == 32 ? ~0u : (1u << n_) - 1)
                      << (unsigned)emu::lane() / n_ * n_)
    {
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
    unsigned num_threads() const
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
    template <class T> T shfl(T v, int from, Site at = Site::here()) const
    {
        return __shfl_sync(mask, v, from, (int)n, at);
    }
    template <class T>
    T shfl_down(T v, unsigned by, Site at = Site::here()) const
    {
        return __shfl_down_sync(mask, v, by, (int)n, at);
    }
    template <class T> T shfl_up(T v, unsigned by, Site at = Site::here()) const
    {
        return __shfl_up_sync(mask, v, by, (int)n, at);
    }
    template <class T> T shfl_xor(T v, int by, Site at = Site::here()) const
    {
        return __shfl_xor_sync(mask, v, by, (int)n, at);
    }
    int any(int predicate, Site at = Site::here()) const
    {
        return (__ballot_sync(mask, predicate, at) & mask) != 0;
    }
    int all(int predicate, Site at = Site::here()) const
    {
        return (__ballot_sync(mask, !predicate, at) & mask) == 0;
    }
    unsigned ballot(int predicate, Site at = Site::here()) const
    {
        unsigned all = __ballot_sync(mask, predicate, at) & mask;
        return all >> __builtin_ctz(mask);
    }
};

template <unsigned size_of, class Parent = void>
class thread_block_tile : public lanes
{
  public:
    thread_block_tile() : lanes(size_of)
    {
        if (size_of > 32)
            emu::cannot("a tile of more than one warp");
    }
    template <class Other>
    thread_block_tile(const thread_block_tile<size_of, Other> &t) : lanes(t)
    {
    }
};
class coalesced_group : public lanes
{
  public:
    coalesced_group()
        : lanes((unsigned)__builtin_popcount(emu::active_lanes()),
                emu::active_lanes())
    {
    }
};

static inline thread_block this_thread_block()
{
    return {};
}
template <unsigned n> struct block_tile_memory {
};
template <unsigned n>
static inline thread_block this_thread_block(block_tile_memory<n> &)
{
    return {};
}
static inline coalesced_group coalesced_threads()
{
    return {};
}
template <unsigned size_of, class Parent>
thread_block_tile<size_of, Parent> tiled_partition(const Parent &)
{
    return {};
}
template <class Parent> lanes tiled_partition(const Parent &, unsigned size_of)
{
    return lanes(size_of);
}
template <class Group> void sync(const Group &g, Site at = Site::here())
{
    g.sync(at);
}

/* Blocks run one after another here: none can wait for another. */
struct grid_group {
    void sync(Site at = Site::here()) const
    {
        emu::cannot("a barrier of the whole grid", at);
    }
    static unsigned long long thread_rank()
    {
        const emu::Builtins &b = emu::builtins;
        return (b.block.x +
                b.grid_dim.x * (b.block.y +
                                (unsigned long long)b.grid_dim.y * b.block.z)) *
                   thread_block::size() +
               thread_block::thread_rank();
    }
    static unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z *
               thread_block::size();
    }
    static bool is_valid()
    {
        return false;
    }
};
static inline grid_group this_grid()
{
    return {};
}

/* --- cooperative_groups/reduce.h ------------------------------------------- */

#define EMU_PLUS(name, expression)                                             \
    template <class T> struct name {                                           \
        T operator()(T x, T y) const                                           \
        {                                                                      \
            return expression;                                                 \
        }                                                                      \
    };
EMU_PLUS(plus, x + y)
EMU_PLUS(less, y < x ? y : x)
EMU_PLUS(greater, x < y ? y : x)
EMU_PLUS(bit_and, (T)(x &y))
EMU_PLUS(bit_or, (T)(x | y))
EMU_PLUS(bit_xor, (T)(x ^ y))
#undef EMU_PLUS

template <class T, class Op>
T reduce(const lanes &g, T v, Op op, Site at = Site::here())
{
    for (int by = (int)g.size() / 2; by > 0; by /= 2)
        v = op(v, g.shfl_xor(v, by, at));
    return v;
}
} // namespace cooperative_groups
