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
template <class T> T smaller(T a, T b)
{
    return -larger(-a, -b);
}

/* .ftz: what is too small to be normal is 0, going in and coming out. */
float flushed(float x)
{
    return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
}

template <class T> void floats(Table &t, const std::string &type)
{
    auto put = [&](auto name, auto op) { t[name + ("." + type)] = op; };
    auto rounded = [&](auto name, auto op) {
        put(name, op);
        t[name + (".rn." + type)] = op;
    };

    rounded("add", each([](T a, T b) { return a + b; }));
    rounded("sub", each([](T a, T b) { return a - b; }));
    rounded("mul", each([](T a, T b) { return a * b; }));
    rounded("div", each([](T a, T b) { return a / b; }));
    rounded("rcp", each([](T a) { return 1 / a; }));
    rounded("sqrt", each([](T a) { return std::sqrt(a); }));
    rounded("fma", each([](T a, T b, T c) { return std::fma(a, b, c); }));
    put("neg", each([](T a) { return -a; }));
    put("abs", each([](T a) { return std::fabs(a); }));
    put("max", each([](T a, T b) { return larger(a, b); }));
    put("min", each([](T a, T b) { return smaller(a, b); }));
    put("div.full", each([](T a, T b) { return a / b; }));
    /* Of a GPU these are within some ulp; here they are rounded once. */
    put("ex2.approx", each([](T a) { return std::exp2(a); }));
    put("lg2.approx", each([](T a) { return std::log2(a); }));
    put("rcp.approx", each([](T a) { return 1 / a; }));
    put("div.approx", each([](T a, T b) { return a / b; }));
    put("sqrt.approx", each([](T a) { return std::sqrt(a); }));
    put("rsqrt.approx", each([](T a) { return 1 / std::sqrt(a); }));
    put("sin.approx", each([](T a) { return std::sin(a); }));
    put("cos.approx", each([](T a) { return std::cos(a); }));
    put("tanh.approx", each([](T a) { return std::tanh(a); }));
}

/* A pair of numbers of 16 bits in a register. */
template <float (*from)(u16), u16 (*to)(float)>
void pairs(Table &t, const std::string &type)
{
    t["cvt.rn." + type + "x2.f32"] = each(
        [](float high, float low) { return (u32)to(high) << 16 | to(low); });
    t["cvt.rn." + type + ".f32"] = each([](float a) { return (u32)to(a); });
    t["cvt.f32." + type] = each([](u32 a) { return from((u16)a); });
}

/* To an integer, within its type; of NaN 0. */
template <class T, class F> T within(F a)
{
    using Limits = std::numeric_limits<T>;

    return std::isnan(a)           ? (T)0
           : a <= (F)Limits::min() ? Limits::min()
           : a >= (F)Limits::max() ? Limits::max()
                                   : (T)a;
}

template <class To, class From>
void convert(Table &t, const std::string &to, const std::string &from)
{
    t["cvt." + to + "." + from] = each([](From a) { return (To)a; });
    t["cvt.rn." + to + "." + from] = each([](From a) { return (To)a; });
}
template <class From> void from_integer(Table &t, const std::string &from)
{
    convert<signed char, From>(t, "s8", from);
    convert<u8, From>(t, "u8", from);
    convert<s16, From>(t, "s16", from);
    convert<u16, From>(t, "u16", from);
    convert<s32, From>(t, "s32", from);
    convert<u32, From>(t, "u32", from);
    convert<s64, From>(t, "s64", from);
    convert<u64, From>(t, "u64", from);
    convert<float, From>(t, "f32", from);
    convert<double, From>(t, "f64", from);
}
template <class To, class From>
void to_integer(Table &t, const std::string &types)
{
    t["cvt.rzi." + types] = each([](From a) { return within<To>(a); });
    t["cvt.rni." + types] =
        each([](From a) { return within<To>(std::nearbyint(a)); });
    t["cvt.rmi." + types] =
        each([](From a) { return within<To>(std::floor(a)); });
    t["cvt.rpi." + types] =
        each([](From a) { return within<To>(std::ceil(a)); });
}
template <class From> void from_float(Table &t, const std::string &from)
{
    to_integer<s32, From>(t, "s32." + from);
    to_integer<u32, From>(t, "u32." + from);
    to_integer<s64, From>(t, "s64." + from);
    to_integer<u64, From>(t, "u64." + from);
}
} // namespace

void add_floats(Table &t)
{
    floats<float>(t, "f32");
    floats<double>(t, "f64");
    from_integer<signed char>(t, "s8");
    from_integer<u8>(t, "u8");
    from_integer<s16>(t, "s16");
    from_integer<u16>(t, "u16");
    from_integer<s32>(t, "s32");
    from_integer<u32>(t, "u32");
    from_integer<s64>(t, "s64");
    from_integer<u64>(t, "u64");
    from_float<float>(t, "f32");
    from_float<double>(t, "f64");
    convert<float, double>(t, "f32", "f64");
    convert<double, float>(t, "f64", "f32");
    t["cvt.rmi.f32.f32"] = each([](float a) { return std::floor(a); });
    t["cvt.rpi.f32.f32"] = each([](float a) { return std::ceil(a); });
    t["ex2.approx.ftz.f32"] =
        each([](float a) { return flushed(std::exp2(flushed(a))); });
    pairs<from_bf16, to_bf16>(t, "bf16");
    pairs<from_fp16, to_fp16>(t, "f16");
    t["cvt.rn.satfinite.e4m3x2.f32"] = each([](float high, float low) {
        return (u32)to_e4m3(high) << 8 | to_e4m3(low);
    });
}
