/* arithmetic.h: CUDA's intrinsics, by the C library. The fast ones are exact
 * here, but for exponentials with CUDA_ON_CPU_ROUND=hardware. */
#pragma once

namespace emu
{
float exp2_approx(float x, bool flush); /* exponential.cpp */
float exp_approx(float x);
} // namespace emu

/* Macros, since C libraries have functions of these names. */
#define __expf(x)  emu::exp_approx(x)
#define __logf(x)  logf(x)
#define __log2f(x) log2f(x)
#define rsqrtf(x)  (1.0f / sqrtf(x))

#define __fdividef(a, b)   ((a) / (b))
#define __frcp_rn(a)       (1.0f / (a))
#define __fmaf_rn(a, b, c) fmaf(a, b, c)

static inline float __int_as_float(int i)
{
    float f;
    __builtin_memcpy(&f, &i, 4);
    return f;
}
static inline int __float_as_int(float f)
{
    int i;
    __builtin_memcpy(&i, &f, 4);
    return i;
}
static inline float __uint_as_float(unsigned u)
{
    return __int_as_float((int)u);
}
static inline unsigned __float_as_uint(float f)
{
    return (unsigned)__float_as_int(f);
}

#define EMU_MIN_MAX(T)                                                         \
    static inline T min(T a, T b)                                              \
    {                                                                          \
        return b < a ? b : a;                                                  \
    }                                                                          \
    static inline T max(T a, T b)                                              \
    {                                                                          \
        return a < b ? b : a;                                                  \
    }
EMU_MIN_MAX(int)
EMU_MIN_MAX(unsigned)
EMU_MIN_MAX(size_t)
#undef EMU_MIN_MAX
static inline float min(float a, float b)
{
    return fminf(a, b);
}
static inline float max(float a, float b)
{
    return fmaxf(a, b);
}

template <class T> T __ldg(const T *p)
{
    return *p;
}

/* Atomics return what was there before (atomics.cpp). */
float atomicAdd(float *p, float v);
int atomicAdd(int *p, int v);
unsigned atomicAdd(unsigned *p, unsigned v);
int atomicMax(int *p, int v);
int atomicMin(int *p, int v);
int atomicExch(int *p, int v);
int atomicCAS(int *p, int expected, int v);
unsigned atomicCAS(unsigned *p, unsigned expected, unsigned v);
