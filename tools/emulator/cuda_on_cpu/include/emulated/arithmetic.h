/* arithmetic.h: CUDA's intrinsics and atomics. Without
 * CUDA_ON_CPU_ROUND=hardware the fast functions are as exact as the others. */
#pragma once
#include <type_traits>

namespace emu
{
float exp2_approx(float x, bool flush); /* exponential.cpp */
float exp_approx(float x);
} // namespace emu

/* These are macros, since C libraries have functions of these names. */
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

static inline double __longlong_as_double(long long i)
{
    double f;
    __builtin_memcpy(&f, &i, 8);
    return f;
}
static inline long long __double_as_longlong(double f)
{
    long long i;
    __builtin_memcpy(&i, &f, 8);
    return i;
}

/* If one argument is NaN, min and max return the other one. */
template <class A, class B> typename std::common_type<A, B>::type min(A a, B b)
{
    typename std::common_type<A, B>::type x = a, y = b;
    return y < x || x != x ? y : x;
}
template <class A, class B> typename std::common_type<A, B>::type max(A a, B b)
{
    typename std::common_type<A, B>::type x = a, y = b;
    return x < y || x != x ? y : x;
}
static inline float min(float a, float b)
{
    return fminf(a, b);
}
static inline float max(float a, float b)
{
    return fmaxf(a, b);
}

/* Loads and stores with cache hints. The hints are ignored. */
#define __ldg(...)   (*(__VA_ARGS__))
#define __ldcs(...)  (*(__VA_ARGS__))
#define __ldcg(...)  (*(__VA_ARGS__))
#define __ldca(...)  (*(__VA_ARGS__))
#define __stcs(p, x) (*(p) = (x))
#define __stcg(p, x) (*(p) = (x))

#define __popc(x)   __builtin_popcount(x)
#define __popcll(x) __builtin_popcountll(x)
#define __ffs(x)    __builtin_ffs(x)
#define __ffsll(x)  __builtin_ffsll(x)
#define __clz(x)    ((x) ? __builtin_clz((unsigned)(x)) : 32)

/* Atomics return the old value. swap is true for atomicCAS (atomics.cpp). */
namespace emu
{
void atomic_update(void *p, size_t bytes, void (*update)(void *, void *),
                   void *with, bool swap);

template <class T, class After>
__attribute__((always_inline)) inline T atomic(T *p, After after,
                                               bool swap = false)
{
    struct With {
        After after;
        T old;
    } with = {after, T()};
    atomic_update(
        p, sizeof *p,
        [](void *at, void *given) {
            With &w = *static_cast<With *>(given);
            w.old = *static_cast<T *>(at);
            *static_cast<T *>(at) = w.after(w.old);
        },
        &with, swap);
    return with.old;
}
} // namespace emu

#define EMU_ATOMIC(name, after)                                                \
    template <class T, class V>                                                \
    __attribute__((always_inline)) inline T name(T *p, V value)                \
    {                                                                          \
        return emu::atomic(p, [v = (T)value](T old) -> T { return after; });   \
    }
EMU_ATOMIC(atomicAdd, old + v)
EMU_ATOMIC(atomicSub, old - v)
EMU_ATOMIC(atomicMax, old < v ? v : old)
EMU_ATOMIC(atomicMin, v < old ? v : old)
EMU_ATOMIC(atomicExch, ((void)old, v))
EMU_ATOMIC(atomicAnd, old &v)
EMU_ATOMIC(atomicOr, old | v)
EMU_ATOMIC(atomicXor, old ^ v)
EMU_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
EMU_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
#undef EMU_ATOMIC
template <class T, class E, class V>
__attribute__((always_inline)) inline T atomicCAS(T *p, E expected, V value)
{
    return emu::atomic(
        p, [=](T old) -> T { return old == (T)expected ? (T)value : old; },
        true);
}
