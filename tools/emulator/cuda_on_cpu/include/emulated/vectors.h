/* vectors.h: the small vector types. A GPU loads a float4 by one instruction,
 * and a double4 by two. A compiler might load the members separately, and the
 * emulator would count four accesses. So vectors of 2 and 4 members are copied
 * as registers of at most 16 bytes. */
#pragma once
#include <stddef.h>

#include "language.h"

namespace emu
{
template <size_t bytes> struct Register;
#define EMU_REGISTER(n)                                                        \
    template <> struct Register<n> {                                           \
        typedef short type                                                     \
            __attribute__((vector_size(n), may_alias, aligned(1)));            \
    };
EMU_REGISTER(2)
EMU_REGISTER(4)
EMU_REGISTER(8)
EMU_REGISTER(16)
#undef EMU_REGISTER

template <class T>
__attribute__((always_inline)) inline void copy_whole(T *to, const T *from)
{
    typedef typename Register<(sizeof(T) < 16 ? sizeof(T) : 16)>::type R;
    for (size_t i = 0; i < sizeof(T) / sizeof(R); i++)
        reinterpret_cast<R *>(to)[i] = reinterpret_cast<const R *>(from)[i];
}

/* A vector has a constructor from First<T>, so that {x} is a vector, as in CUDA,
 * but x alone is not. */
template <class T> struct First {
    T value;
    constexpr First(T v) : value(v)
    {
    }
};
} // namespace emu

/* Members that copy a struct T by copy_whole. T also needs a constexpr default
 * constructor. Otherwise g++ guards the first use of a __shared__ array of T by
 * a flag, and this flag would be in shared memory. The members of T must have
 * no default initialisers: the copy constructor would store them first. */
#define EMU_COPIED_WHOLE(T)                                                    \
    T(const T &other)                                                          \
    {                                                                          \
        emu::copy_whole(this, &other);                                         \
    }                                                                          \
    T &operator=(const T &other)                                               \
    {                                                                          \
        emu::copy_whole(this, &other);                                         \
        return *this;                                                          \
    }

/* translate.py uses this type for a vector in a union, because members of a
 * union need a trivial copy constructor. */
#define EMU_PLAIN(vector, members)                                             \
    struct alignas(vector) emu_plain_##vector {                                \
        members emu_plain_##vector() = default;                                \
        emu_plain_##vector(const vector &v)                                    \
        {                                                                      \
            emu::copy_whole((vector *)this, &v);                               \
        }                                                                      \
        operator vector() const                                                \
        {                                                                      \
            return *(const vector *)this;                                      \
        }                                                                      \
    };

#define EMU_VECTORS(T, name)                                                   \
    struct name##1                                                             \
    {                                                                          \
        T x;                                                                   \
    };                                                                         \
    struct alignas(2 * sizeof(T)) name##2                                      \
    {                                                                          \
        T x, y;                                                                \
        constexpr name##2() : x(), y()                                         \
        {                                                                      \
        }                                                                      \
        EMU_COPIED_WHOLE(name##2)                                              \
        constexpr name##2(emu::First<T> f) : x(f.value), y()                   \
        {                                                                      \
        }                                                                      \
        constexpr name##2(T x_, T y_) : x(x_), y(y_)                           \
        {                                                                      \
        }                                                                      \
    };                                                                         \
    struct name##3                                                             \
    {                                                                          \
        T x, y, z;                                                             \
    };                                                                         \
    struct alignas(sizeof(T) < 8 ? 4 * sizeof(T) : 16) name##4                 \
    {                                                                          \
        T x, y, z, w;                                                          \
        constexpr name##4() : x(), y(), z(), w()                               \
        {                                                                      \
        }                                                                      \
        EMU_COPIED_WHOLE(name##4)                                              \
        constexpr name##4(emu::First<T> f) : x(f.value), y(), z(), w()         \
        {                                                                      \
        }                                                                      \
        constexpr name##4(T x_, T y_, T z_ = 0, T w_ = 0)                      \
            : x(x_), y(y_), z(z_), w(w_)                                       \
        {                                                                      \
        }                                                                      \
    };                                                                         \
    EMU_PLAIN(name##2, T x; T y;)                                              \
    EMU_PLAIN(name##4, T x; T y; T z; T w;)                                    \
    static inline name##1 make_##name##1(T x)                                  \
    {                                                                          \
        return {x};                                                            \
    }                                                                          \
    static inline name##2 make_##name##2(T x, T y)                             \
    {                                                                          \
        return {x, y};                                                         \
    }                                                                          \
    static inline name##3 make_##name##3(T x, T y, T z)                        \
    {                                                                          \
        return {x, y, z};                                                      \
    }                                                                          \
    static inline name##4 make_##name##4(T x, T y, T z, T w)                   \
    {                                                                          \
        return {x, y, z, w};                                                   \
    }

EMU_VECTORS(float, float)
EMU_VECTORS(int, int)
EMU_VECTORS(unsigned, uint)
EMU_VECTORS(signed char, char)
EMU_VECTORS(unsigned char, uchar)
EMU_VECTORS(short, short)
EMU_VECTORS(unsigned short, ushort)
EMU_VECTORS(double, double)
EMU_VECTORS(long, long)
EMU_VECTORS(unsigned long, ulong)
EMU_VECTORS(long long, longlong)
EMU_VECTORS(unsigned long long, ulonglong)
#undef EMU_VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    constexpr dim3(const emu::Index &i) : x(i.x), y(i.y), z(i.z)
    {
    }
};
