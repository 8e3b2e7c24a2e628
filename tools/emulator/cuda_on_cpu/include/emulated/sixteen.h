/* sixteen.h: numbers of 16 bits. fp16 and bf16 differ only in F::to and
 * F::from. All operations compute in fp32 and round the result. cuda_fp16.h and
 * cuda_bf16.h define the names. */
#pragma once
#include <type_traits>

#include "../cuda_runtime.h"

namespace emu
{
template <class F> struct Sixteen {
    uint16_t bits = 0;
    constexpr Sixteen() = default;
    template <class T, class = typename std::enable_if<
                           std::is_arithmetic<T>::value>::type>
    Sixteen(T v) : bits(F::to((float)v))
    {
    }
    operator float() const
    {
        return F::from(bits);
    }
#define EMU_OPERATOR(op)                                                       \
    friend Sixteen operator op(Sixteen a, Sixteen b)                           \
    {                                                                          \
        return (float)a op(float) b;                                           \
    }                                                                          \
    Sixteen &operator op##=(Sixteen b)                                         \
    {                                                                          \
        return *this = *this op b;                                             \
    }
    EMU_OPERATOR(+)
    EMU_OPERATOR(-)
    EMU_OPERATOR(*)
    EMU_OPERATOR(/)
#undef EMU_OPERATOR
};

template <class F> struct alignas(4) Pair {
    Sixteen<F> x, y;
    constexpr Pair() = default;
    EMU_COPIED_WHOLE(Pair)
    Pair(Sixteen<F> x_, Sixteen<F> y_) : x(x_), y(y_)
    {
    }
#define EMU_OPERATOR(op)                                                       \
    friend Pair operator op(Pair a, Pair b)                                    \
    {                                                                          \
        return {a.x op b.x, a.y op b.y};                                       \
    }
    EMU_OPERATOR(+)
    EMU_OPERATOR(-)
    EMU_OPERATOR(*)
    EMU_OPERATOR(/)
#undef EMU_OPERATOR
};
} // namespace emu

/* Operations on one number or on pairs. The name for pairs contains a 2. */
#define EMU_ONE(name, expression)                                              \
    template <class F> emu::Sixteen<F> name(emu::Sixteen<F> a)                 \
    {                                                                          \
        float x = a;                                                           \
        return expression;                                                     \
    }
#define EMU_BOTH(name, pairs, expression)                                      \
    template <class F>                                                         \
    emu::Sixteen<F> name(emu::Sixteen<F> a, emu::Sixteen<F> b)                 \
    {                                                                          \
        float x = a, y = b;                                                    \
        return expression;                                                     \
    }                                                                          \
    template <class F> emu::Pair<F> pairs(emu::Pair<F> a, emu::Pair<F> b)      \
    {                                                                          \
        return {name(a.x, b.x), name(a.y, b.y)};                               \
    }
EMU_BOTH(__hadd, __hadd2, x + y)
EMU_BOTH(__hsub, __hsub2, x - y)
EMU_BOTH(__hmul, __hmul2, x *y)
EMU_BOTH(__hmax, __hmax2, fmaxf(x, y))
EMU_BOTH(__hmin, __hmin2, fminf(x, y))
EMU_BOTH(__hdiv, __h2div, x / y)
EMU_ONE(__hneg, -x)
EMU_ONE(__habs, fabsf(x))
EMU_ONE(hexp, expf(x))
EMU_ONE(hexp2, exp2f(x))
EMU_ONE(hlog, logf(x))
EMU_ONE(hsqrt, sqrtf(x))
EMU_ONE(hrsqrt, rsqrtf(x))
EMU_ONE(hrcp, 1 / x)
EMU_ONE(htanh, tanhf(x))

#define EMU_COMPARE(name, op)                                                  \
    template <class F> bool name(emu::Sixteen<F> a, emu::Sixteen<F> b)         \
    {                                                                          \
        return (float)a op(float) b;                                           \
    }
EMU_COMPARE(__heq, ==)
EMU_COMPARE(__hne, !=)
EMU_COMPARE(__hlt, <)
EMU_COMPARE(__hle, <=)
EMU_COMPARE(__hgt, >)
EMU_COMPARE(__hge, >=)
#undef EMU_ONE
#undef EMU_BOTH
#undef EMU_COMPARE

/* h is the format's part of the functions' names, as in __float2half. */
#define EMU_NAME(result, name, given, value)                                   \
    static inline result name given                                            \
    {                                                                          \
        return value;                                                          \
    }
#define EMU_FORMAT(type, h, F)                                                 \
    typedef emu::Sixteen<F> type;                                              \
    typedef emu::Pair<F> type##2;                                              \
    EMU_NAME(type, __float2##h, (float f), f)                                  \
    EMU_NAME(type, __float2##h##_rn, (float f), f)                             \
    EMU_NAME(type, __int2##h##_rn, (int i), i)                                 \
    EMU_NAME(float, __##h##2float, (type x), x)                                \
    EMU_NAME(type##2, __float2##h##2_rn, (float f), type##2(f, f))             \
    EMU_NAME(type##2, __floats2##h##2_rn, (float x, float y), type##2(x, y))   \
    EMU_NAME(type##2, __float22##h##2_rn, (float2 f), type##2(f.x, f.y))       \
    EMU_NAME(float2, __##h##22float2, (type##2 p), float2(p.x, p.y))           \
    EMU_NAME(type##2, __halves2##h##2, (type x, type y), type##2(x, y))        \
    EMU_NAME(type##2, __##h##2##h##2, (type x), type##2(x, x))                 \
    EMU_NAME(type, __low2##h, (type##2 p), p.x)                                \
    EMU_NAME(type, __high2##h, (type##2 p), p.y)                               \
    EMU_NAME(float, __low2float, (type##2 p), p.x)                             \
    EMU_NAME(float, __high2float, (type##2 p), p.y)                            \
    EMU_NAME(bool, __hisnan, (type x), isnan((float)x))                        \
    EMU_NAME(type, __hfma, (type a, type b, type c), fmaf(a, b, c))            \
    EMU_NAME(type##2, __hfma2, (type##2 a, type##2 b, type##2 c),              \
             type##2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)))
