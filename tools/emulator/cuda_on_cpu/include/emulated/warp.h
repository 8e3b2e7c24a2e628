/* warp.h: functions that the lanes of a warp execute together. A lane stores
 * its argument and waits. When every lane of the mask has called the function,
 * the operation runs once with the arguments of all lanes (warp_calls.cpp). */
#pragma once
#include <stdint.h>

#include "language.h"

namespace emu
{
enum class WarpOp {
    sync,
    shuffle,
    ballot,
    active,
    ldmatrix,
    ldmatrix_trans,
    m16n8k16_bf16,
    m16n8k16_f16,
    m16n8k8_tf32
};

void warp_call(WarpOp op, unsigned mask, void *argument, Site at);

inline unsigned thread_in_block()
{
    const Builtins &b = builtins;
    return b.thread.x +
           b.block_dim.x * (b.thread.y + b.block_dim.y * b.thread.z);
}
inline int lane()
{
    return (int)(thread_in_block() % 32);
}

struct Ballot {
    unsigned mine, all;
};

struct Shuffle {
    uint64_t mine, received;
    int from; /* the lane that is read */
};

template <class T> T shuffle(unsigned mask, T value, int from, Site at)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    Shuffle s = {0, 0, from};
    __builtin_memcpy(&s.mine, &value, sizeof value);
    warp_call(WarpOp::shuffle, mask, &s, at);
    __builtin_memcpy(&value, &s.received, sizeof value);
    return value;
}
} // namespace emu

static inline void __syncwarp(unsigned mask = 0xffffffffu,
                              emu::Site at = emu::Site::here())
{
    emu::warp_call(emu::WarpOp::sync, mask, nullptr, at);
}

/* A shuffle reads a lane of the same segment of `width` lanes, xor also of an
 * earlier one. If delta or flip leads elsewhere, the result is v. */
template <class T>
T __shfl_sync(unsigned mask, T v, int from, int width = 32,
              emu::Site at = emu::Site::here())
{
    int first = emu::lane() & ~(width - 1);
    return emu::shuffle(mask, v, first | (from & (width - 1)), at);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T v, int flip, int width = 32,
                  emu::Site at = emu::Site::here())
{
    int me = emu::lane(), from = me ^ flip;
    int beyond = (from & ~(width - 1)) > (me & ~(width - 1));
    return emu::shuffle(mask, v, beyond ? me : from, at);
}

template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32,
                   emu::Site at = emu::Site::here())
{
    int me = emu::lane(), in_segment = (me & (width - 1)) + (int)delta < width;
    return emu::shuffle(mask, v, in_segment ? me + (int)delta : me, at);
}

template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32,
                 emu::Site at = emu::Site::here())
{
    int me = emu::lane(), in_segment = (me & (width - 1)) >= (int)delta;
    return emu::shuffle(mask, v, in_segment ? me - (int)delta : me, at);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate,
                                     emu::Site at = emu::Site::here())
{
    emu::Ballot b = {predicate != 0, 0};
    emu::warp_call(emu::WarpOp::ballot, mask, &b, at);
    return b.all;
}

/* Returns the mask of lanes that wait at this line when no lane can run. */
static inline unsigned __activemask(emu::Site at = emu::Site::here())
{
    emu::Ballot b = {1, 0};
    emu::warp_call(emu::WarpOp::active, 0xffffffffu, &b, at);
    return b.all;
}

static inline int __any_sync(unsigned mask, int predicate,
                             emu::Site at = emu::Site::here())
{
    return __ballot_sync(mask, predicate, at) != 0;
}

static inline int __all_sync(unsigned mask, int predicate,
                             emu::Site at = emu::Site::here())
{
    return __ballot_sync(mask, !predicate, at) == 0;
}

/* As in CUDA, the number is an int or unsigned, so that a bool becomes an int. */
#define EMU_REDUCE(T, name, expression)                                        \
    static inline T __reduce_##name##_sync(unsigned mask, T mine,              \
                                           emu::Site at = emu::Site::here())   \
    {                                                                          \
        T x = mine;                                                            \
        bool begun = false;                                                    \
                                                                               \
        for (int l = 0; l < 32; l++)                                           \
            if (mask >> l & 1) {                                               \
                T y = emu::shuffle(mask, mine, l, at);                         \
                x = begun ? expression : y;                                    \
                begun = true;                                                  \
            }                                                                  \
        return x;                                                              \
    }
EMU_REDUCE(int, add, x + y)
EMU_REDUCE(int, min, (y < x ? y : x))
EMU_REDUCE(int, max, (x < y ? y : x))
EMU_REDUCE(unsigned, add, x + y)
EMU_REDUCE(unsigned, min, (y < x ? y : x))
EMU_REDUCE(unsigned, max, (x < y ? y : x))
EMU_REDUCE(unsigned, and, (x & y))
EMU_REDUCE(unsigned, or, (x | y))
EMU_REDUCE(unsigned, xor, (x ^ y))
