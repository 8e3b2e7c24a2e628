/* vectors.h: the small vector types. Their alignment is what makes one load
 * of a float4 one access of 16 bytes. */
#pragma once

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
};

#define EMU_VECTORS(T, name)                                                   \
    struct alignas(2 * sizeof(T)) name##2                                      \
    {                                                                          \
        T x, y;                                                                \
    };                                                                         \
    struct alignas(4 * sizeof(T)) name##4                                      \
    {                                                                          \
        T x, y, z, w;                                                          \
    };                                                                         \
    static inline name##2 make_##name##2(T x, T y)                             \
    {                                                                          \
        return {x, y};                                                         \
    }                                                                          \
    static inline name##4 make_##name##4(T x, T y, T z, T w)                   \
    {                                                                          \
        return {x, y, z, w};                                                   \
    }

EMU_VECTORS(float, float)
EMU_VECTORS(int, int)
EMU_VECTORS(unsigned, uint)
#undef EMU_VECTORS
