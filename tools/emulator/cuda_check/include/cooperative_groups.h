/* cooperative_groups.h: groups of threads. Page: docs/cuda_check.md. */
#pragma once
#include <cuda_runtime.h>

namespace cooperative_groups
{
typedef emu::Site Site;

/* mask has a bit for each of the n lanes, or is 0 for a block. */
struct thread_group {
    unsigned n, mask;

    void sync(Site at = Site::here()) const
    {
        if (mask)
            __syncwarp(mask, at);
        else
            emu::barrier(at);
    }
    unsigned thread_rank() const
    {
        return emu::thread_in_block() % n;
    }
    unsigned size() const
    {
        return n;
    }
    unsigned num_threads() const
    {
        return n;
    }
};

struct thread_block : thread_group {
    thread_block() : thread_group{blockDim.x * blockDim.y * blockDim.z, 0}
    {
    }
    static dim3 group_index()
    {
        return blockIdx;
    }
    static dim3 thread_index()
    {
        return threadIdx;
    }
};

#define EMU_SHUFFLE(name, lane)                                                \
    template <class T> T name(T v, lane by, Site at = Site::here()) const      \
    {                                                                          \
        uint64_t part[(sizeof(T) + 7) / 8] = {0};                              \
        memcpy(part, &v, sizeof v);                                            \
        for (uint64_t & p : part)                                              \
            p = __##name##_sync(mask, p, by, (int)n, at);                      \
        memcpy(&v, part, sizeof v);                                            \
        return v;                                                              \
    }
#define EMU_VOTE(name)                                                         \
    int name(int predicate, Site at = Site::here()) const                      \
    {                                                                          \
        return __##name##_sync(mask, predicate, at);                           \
    }

struct lanes : thread_group {
    explicit lanes(unsigned n_)
        : thread_group{n_, (n_ == 32 ? ~0u : (1u << n_) - 1)
                               << (unsigned)emu::lane() / n_ * n_}
    {
        if (n > 32)
            emu::cannot("a tile of more than one warp");
    }
    unsigned meta_group_rank() const
    {
        return emu::thread_in_block() / n;
    }
    unsigned meta_group_size() const
    {
        return (thread_block().size() + n - 1) / n;
    }
    unsigned ballot(int predicate, Site at = Site::here()) const
    {
        return (__ballot_sync(mask, predicate, at) & mask) >>
               __builtin_ctz(mask);
    }
    EMU_VOTE(any)
    EMU_VOTE(all)
    EMU_SHUFFLE(shfl, int)
    EMU_SHUFFLE(shfl_down, unsigned)
    EMU_SHUFFLE(shfl_up, unsigned)
    EMU_SHUFFLE(shfl_xor, int)
};
template <unsigned size_of, class Parent = void>
struct thread_block_tile : lanes {
    thread_block_tile() : lanes(size_of)
    {
    }
};

/* The lanes of __activemask(). thread_rank() numbers them from 0. */
struct coalesced_group : thread_group {
    unsigned thread_rank() const
    {
        return (unsigned)__popc(mask & ((1u << emu::lane()) - 1));
    }
    template <class T> T shfl(T v, unsigned rank, Site at = Site::here()) const
    {
        unsigned left = mask;
        while (rank--)
            left &= left - 1;
        return emu::shuffle(mask, v, __builtin_ctz(left), at);
    }
    EMU_VOTE(any)
    EMU_VOTE(all)
};
static inline coalesced_group coalesced_threads(Site at = Site::here())
{
    unsigned mask = __activemask(at);
    return {{(unsigned)__popc(mask), mask}};
}

#undef EMU_SHUFFLE
#undef EMU_VOTE

template <unsigned n> struct block_tile_memory {
};
template <class... Memory> thread_block this_thread_block(Memory &...)
{
    return {};
}
template <unsigned n, class Parent>
thread_block_tile<n> tiled_partition(const Parent &)
{
    return {};
}
static inline lanes tiled_partition(const thread_group &, unsigned n)
{
    return lanes(n);
}
static inline void sync(const thread_group &g, Site at = Site::here())
{
    g.sync(at);
}
} // namespace cooperative_groups
