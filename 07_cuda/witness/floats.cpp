/* floats.cpp: the table of opcodes for numbers with a fraction, and how one
 * type becomes another. */
#include <cmath>
#include <limits>

#include "07_cuda/witness/numbers.h"
#include "07_cuda/witness/opcode.h"

namespace
{
/* A maximum that is NaN only if both are, and for which 0 is above -0. */
template <class T> T larger(T a, T b)
{
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) ? b : a;
    return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}

/* .ftz: what is too small to be normal is 0, going in and coming out. */
float flushed(float x)
{
    return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
}

/* Some of these a GPU has within some ulp; here all are rounded once. */
template <class T> void floats(Table &t)
{
    auto put = rows_of<T>(t);

    put("add", [](T a, T b) { return a + b; });
    put("sub", [](T a, T b) { return a - b; });
    put("mul", [](T a, T b) { return a * b; });
    put("div", [](T a, T b) { return a / b; });
    put("fma", [](T a, T b, T c) { return std::fma(a, b, c); });
    put("neg", [](T a) { return -a; });
    put("abs", [](T a) { return std::fabs(a); });
    put("max", [](T a, T b) { return larger(a, b); });
    put("min", [](T a, T b) { return -larger(-a, -b); });
    put("rcp", [](T a) { return 1 / a; });
    put("sqrt", [](T a) { return std::sqrt(a); });
    put("rsqrt", [](T a) { return 1 / std::sqrt(a); });
    put("ex2", [](T a) { return std::exp2(a); });
    put("lg2", [](T a) { return std::log2(a); });
    put("sin", [](T a) { return std::sin(a); });
    put("cos", [](T a) { return std::cos(a); });
    put("tanh", [](T a) { return std::tanh(a); });
}

/* A pair of numbers of 16 bits in a register. */
template <float (*from)(u16), u16 (*to)(float)>
void pairs(Table &t, const std::string &type)
{
    t["cvt." + type + "x2.f32"] = each(
        [](float high, float low) { return (u32)to(high) << 16 | to(low); });
    t["cvt." + type + ".f32"] = each([](float a) { return (u32)to(a); });
    t["cvt.f32." + type] = each([](u32 a) { return from((u16)a); });
}

/* To an integer, within its type; of NaN 0. */
template <class T, class F> T within(F a)
{
    using Limits = std::numeric_limits<T>;

    if (!Limits::is_integer)
        return (T)a;
    return std::isnan(a)              ? (T)0
           : a <= (F)Limits::lowest() ? Limits::lowest()
           : a >= (F)(Limits::max)()  ? (Limits::max)()
                                      : (T)a;
}

template <class To, class From> void convert(Table &t)
{
    std::string types = type<To>() + type<From>();
    auto by = [&](std::string how, auto round) {
        t["cvt." + how + types] =
            each([round](From a) { return within<To>(round(a)); });
    };

    t["cvt" + types] = each([](From a) { return (To)a; });
    by("rzi", [](From a) { return std::trunc(a); });
    by("rni", [](From a) { return std::nearbyint(a); });
    by("rmi", [](From a) { return std::floor(a); });
    by("rpi", [](From a) { return std::ceil(a); });
}

template <class... T> void convert_all(Table &t)
{
    all<T...>([&](auto to) {
        all<T...>([&](auto from) { convert<decltype(to), decltype(from)>(t); });
    });
}
} // namespace

void add_floats(Table &t)
{
    floats<float>(t);
    floats<double>(t);
    convert_all<s8, u8, s16, u16, s32, u32, s64, u64, float, double>(t);
    t["ex2.ftz.f32"] =
        each([](float a) { return flushed(std::exp2(flushed(a))); });
    pairs<from_bf16, to_bf16>(t, "bf16");
    pairs<from_fp16, to_fp16>(t, "f16");
    t["cvt.satfinite.e4m3x2.f32"] = each([](float high, float low) {
        return (u32)to_e4m3(high) << 8 | to_e4m3(low);
    });
}
