/* floats.cpp: the table of opcodes for numbers with a fraction, and how one
 * type becomes another. */
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
    auto put = [&](const char *name, const Opcode &op) {
        t[name + ("." + type)] = op;
    };
    auto rounded = [&](const char *name, const Opcode &op) {
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
    auto put = [&](const char *name, auto f) {
        t[name + ("." + type)] = each([f](u32 a, u32 b, u32 c) {
            return (u32)to(f(from((u16)a), from((u16)b), from((u16)c)));
        });
        t[name + ("." + type + "x2")] = each([f](u32 a, u32 b, u32 c) {
            return (u32)to(f(from((u16)a), from((u16)b), from((u16)c))) |
                   (u32)to(f(from((u16)(a >> 16)), from((u16)(b >> 16)),
                             from((u16)(c >> 16))))
                       << 16;
        });
    };
    put("fma.rn", [](float a, float b, float c) { return std::fma(a, b, c); });
}

/* Integers of two types, of which the source's sign counts. */
template <class To, class From> Opcode widened()
{
    return each([](From a) { return (To)a; });
}

/* To the nearest integer that the name says, within the type; of NaN 0. */
template <class T, class F> Opcode rounded_off(const Words &name)
{
    constexpr double least = (double)std::numeric_limits<T>::min();
    constexpr double most = (double)std::numeric_limits<T>::max();
    auto fit = [](double a) {
        return std::isnan(a) ? (T)0
               : a <= least  ? std::numeric_limits<T>::min()
               : a >= most   ? std::numeric_limits<T>::max()
                             : (T)a;
    };
    if (has(name, "rni"))
        return each([fit](F a) { return fit(std::nearbyint((double)a)); });
    if (has(name, "rmi"))
        return each([fit](F a) { return fit(std::floor((double)a)); });
    if (has(name, "rpi"))
        return each([fit](F a) { return fit(std::ceil((double)a)); });
    return each([fit](F a) { return fit((double)a); });
}

template <class From> Opcode from_integer(const std::string &to)
{
    return to == "f32"                  ? each([](From a) { return (float)a; })
           : to == "f64"                ? each([](From a) { return (double)a; })
           : to == "u64" || to == "s64" ? widened<u64, From>()
           : to == "u8"  ? each([](From a) { return (u32)(u8)a; })
           : to == "s8"  ? each([](From a) { return (s32)(signed char)a; })
           : to == "u16" ? each([](From a) { return (u32)(u16)a; })
           : to == "s16" ? each([](From a) { return (s32)(s16)a; })
                         : widened<u32, From>();
}
template <class From>
Opcode from_float(const std::string &to, const Words &name)
{
    if (to == "f32" && has(name, "rni"))
        return each([](From a) { return (float)std::nearbyint(a); });
    if (to == "f32" && has(name, "rmi"))
        return each([](From a) { return (float)std::floor(a); });
    if (to == "f32" && has(name, "rpi"))
        return each([](From a) { return (float)std::ceil(a); });
    if (to == "f32" && has(name, "rzi"))
        return each([](From a) { return (float)std::trunc(a); });
    return to == "f32"   ? each([](From a) { return (float)a; })
           : to == "f64" ? each([](From a) { return (double)a; })
           : to == "s32" ? rounded_off<s32, From>(name)
           : to == "u32" ? rounded_off<u32, From>(name)
           : to == "s64" ? rounded_off<s64, From>(name)
           : to == "u64" ? rounded_off<u64, From>(name)
                         : Opcode{nullptr, {}};
}
} // namespace

/* cvt.how.TO.FROM */
Opcode conversion_opcode(const Words &name)
{
    const std::string &to = name[name.size() - 2], &from = name.back();

    return from == "u8"    ? each([](u32 a) { return (u32)(u8)a; })
           : from == "s8"  ? each([](u32 a) { return (s32)(signed char)a; })
           : from == "u16" ? from_integer<u16>(to)
           : from == "s16" ? from_integer<s16>(to)
           : from == "u32" ? from_integer<u32>(to)
           : from == "s32" ? from_integer<s32>(to)
           : from == "u64" ? from_integer<u64>(to)
           : from == "s64" ? from_integer<s64>(to)
           : from == "f32" ? from_float<float>(to, name)
           : from == "f64" ? from_float<double>(to, name)
                           : Opcode{nullptr, {}};
}

void add_floats(Table &t)
{
    floats<float>(t, "f32");
    floats<double>(t, "f64");
    t["ex2.approx.ftz.f32"] =
        each([](float a) { return flushed(std::exp2(flushed(a))); });
    pairs<from_bf16, to_bf16>(t, "bf16");
    pairs<from_fp16, to_fp16>(t, "f16");
    t["cvt.rn.satfinite.e4m3x2.f32"] = each([](float high, float low) {
        return (u32)to_e4m3(high) << 8 | to_e4m3(low);
    });
}
