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

#define EMU_MIN_MAX(A, B, T, least, most)                                      \
    static inline T min(A a, B b)                                              \
    {                                                                          \
        return least;                                                          \
    }                                                                          \
    static inline T max(A a, B b)                                              \
    {                                                                          \
        return most;                                                           \
    }
#define EMU_WHOLE(A, B, T)                                                     \
    EMU_MIN_MAX(A, B, T, (T)b < (T)a ? (T)b : (T)a, (T)a < (T)b ? (T)b : (T)a)
EMU_WHOLE(int, int, int)
EMU_WHOLE(unsigned, unsigned, unsigned)
EMU_WHOLE(int, unsigned, unsigned)
EMU_WHOLE(unsigned, int, unsigned)
EMU_WHOLE(long, long, long)
EMU_WHOLE(size_t, size_t, size_t)
EMU_WHOLE(long long, long long, long long)
EMU_WHOLE(unsigned long long, unsigned long long, unsigned long long)
EMU_MIN_MAX(float, float, float, fminf(a, b), fmaxf(a, b))
EMU_MIN_MAX(double, double, double, fmin(a, b), fmax(a, b))
#undef EMU_WHOLE
#undef EMU_MIN_MAX

/* Loads and stores with a hint for a cache. */
#define EMU_HINTED_LOAD(name)                                                  \
    template <class T> T name(const T *p)                                      \
    {                                                                          \
        return *p;                                                             \
    }
#define EMU_HINTED_STORE(name)                                                 \
    template <class T> void name(T *p, T value)                                \
    {                                                                          \
        *p = value;                                                            \
    }
EMU_HINTED_LOAD(__ldg)
EMU_HINTED_LOAD(__ldcs)
EMU_HINTED_LOAD(__ldcg)
EMU_HINTED_LOAD(__ldca)
EMU_HINTED_STORE(__stcs)
EMU_HINTED_STORE(__stcg)
EMU_HINTED_STORE(__stwb)
EMU_HINTED_STORE(__stwt)
#undef EMU_HINTED_LOAD
#undef EMU_HINTED_STORE

#define __popc(x)   __builtin_popcount(x)
#define __popcll(x) __builtin_popcountll(x)
#define __ffs(x)    __builtin_ffs(x)
#define __ffsll(x)  __builtin_ffsll(x)
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline unsigned __brev(unsigned x)
{
    unsigned y = 0;
    for (int i = 0; i < 32; i++)
        y |= (x >> i & 1) << (31 - i);
    return y;
}

/* Atomics return what was there before (atomics.cpp). */
namespace emu
{
void atomic_update(void *p, size_t bytes, void (*update)(void *, void *),
                   void *with);

template <class T, class After>
__attribute__((always_inline)) inline T atomic(T *p, After after)
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
        &with);
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
        p, [=](T old) -> T { return old == (T)expected ? (T)value : old; });
}
