/* numbers.cpp: the opcodes for numbers, predicates and bits, each with its
 * types and its function. Integers wrap around (-fwrapv). */
#include <cmath>
#include <limits>

#include "tools/emulator/ptx_interpreter/opcode.h"

namespace
{
/* True if a > b, or if a == b and a has no sign bit: 0 is above -0. */
template <class T> bool above(T a, T b)
{
    return a > b || (a == b && !std::signbit(a));
}

template <class T> void numbers(Table &t)
{
    auto put = rows_of<T>(t);

    /* ANCHOR: table */
    put("add", [](T a, T b) { return (T)(a + b); });
    put("sub", [](T a, T b) { return (T)(a - b); });
    put("neg", [](T a) { return (T)-a; });
    put("abs", [](T a) { return above(a, (T)-a) ? a : (T)-a; });
    /* ANCHOR_END: table */
    /* The result is NaN only if both operands are NaN. */
    put("max", [](T a, T b) { return b != b || above(a, b) ? a : b; });
    put("min", [](T a, T b) { return b != b || above(b, a) ? a : b; });
    /* If an operand is NaN, only .equ, .neu, .ltu, .leu, .gtu, .geu and .nan
     * are true. */
    put("setp.eq", [](T a, T b) { return a == b; });
    put("setp.ne", [](T a, T b) { return a < b || a > b; });
    put("setp.lt", [](T a, T b) { return a < b; });
    put("setp.le", [](T a, T b) { return a <= b; });
    put("setp.gt", [](T a, T b) { return a > b; });
    put("setp.ge", [](T a, T b) { return a >= b; });
    put("setp.equ", [](T a, T b) { return !(a < b || a > b); });
    put("setp.neu", [](T a, T b) { return a != b; });
    put("setp.ltu", [](T a, T b) { return !(a >= b); });
    put("setp.leu", [](T a, T b) { return !(a > b); });
    put("setp.gtu", [](T a, T b) { return !(a <= b); });
    put("setp.geu", [](T a, T b) { return !(a < b); });
    put("setp.num", [](T a, T b) { return a == a && b == b; });
    put("setp.nan", [](T a, T b) { return a != a || b != b; });
}

template <class T> void integers(Table &t)
{
    auto put = rows_of<T>(t);

    put("mul.lo", [](T a, T b) { return (T)(a * b); });
    put("mad.lo", [](T a, T b, T c) { return (T)(a * b + c); });
    /* A division by 0 sets all bits, as on a GPU. */
    put("div", [](T a, T b) {
        return b == 0 ? (T)-1 : b == (T)-1 && b < 0 ? (T)-a : (T)(a / b);
    });
    put("rem", [](T a, T b) {
        return b == 0 ? a : b == (T)-1 && b < 0 ? (T)0 : (T)(a % b);
    });
    put("shr", [](T a, u32 n) {
        constexpr u32 last = sizeof(T) * 8 - 1;
        return (T)-1 > 0 && n > last ? (T)0 : (T)(a >> std::min(n, last));
    });
}

/* Adds the opcodes that compute a product with twice as many bits. */
template <class T, class Wide> void widened(Table &t)
{
    auto put = rows_of<T>(t);

    put("mul.hi",
        [](T a, T b) { return (T)((Wide)a * (Wide)b >> 8 * sizeof(T)); });
    put("mul.wide", [](T a, T b) { return (Wide)((Wide)a * (Wide)b); });
}

template <class U> void of_bits(Table &t)
{
    constexpr u32 all = sizeof(U) * 8;
    auto put = [&](std::string name, auto f) { t[name + bits<U>()] = each(f); };

    put("and", [](U a, U b) { return (U)(a & b); });
    put("or", [](U a, U b) { return (U)(a | b); });
    put("xor", [](U a, U b) { return (U)(a ^ b); });
    put("not", [](U a) { return (U)~a; });
    put("shl", [](U a, u32 n) { return n < all ? (U)(a << n) : (U)0; });
    put("popc", [](U a) { return (u32)__builtin_popcountll(a); });
    put("clz",
        [](U a) { return a ? (u32)__builtin_clzll(a) - (64 - all) : all; });
    put("bfi", [](U from, U to, u32 at, u32 length) {
        at &= 255, length &= 255;
        U ones = length < all ? ((U)1 << length) - 1 : (U)-1;
        return at < all ? (U)((to & ~(U)(ones << at)) | (U)(from & ones) << at)
                        : to;
    });
    put("selp", [](U a, U b, bool p) { return p ? a : b; });
    put("setp.eq", [](U a, U b) { return a == b; });
    put("setp.ne", [](U a, U b) { return a != b; });
}

/* On a GPU some of these functions are approximations. */
template <class T> void floats(Table &t)
{
    auto put = rows_of<T>(t);

    put("mul", [](T a, T b) { return a * b; });
    put("div", [](T a, T b) { return a / b; });
    put("fma", [](T a, T b, T c) { return std::fma(a, b, c); });
    put("rcp", [](T a) { return 1 / a; });
    put("sqrt", [](T a) { return std::sqrt(a); });
    put("rsqrt", [](T a) { return 1 / std::sqrt(a); });
    put("ex2", [](T a) { return std::exp2(a); });
    put("lg2", [](T a) { return std::log2(a); });
    put("sin", [](T a) { return std::sin(a); });
    put("cos", [](T a) { return std::cos(a); });
    put("tanh", [](T a) { return std::tanh(a); });
}

/* .ftz: subnormal inputs and results become 0. */
float flushed(float x)
{
    return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
}

/* Adds conversions between f32 and T, and from two f32 to a pair of T. */
template <class T>
void shorter(Table &t, const std::string &type, const std::string &how = "")
{
    static const auto bits_of = [](float x) {
        T rounded(x);
        u32 found = 0;
        std::memcpy(&found, &rounded, sizeof rounded);
        return found;
    };

    t["cvt." + how + type + ".f32"] = each([](float a) { return bits_of(a); });
    t["cvt." + how + type + "x2.f32"] = each([](float high, float low) {
        return bits_of(high) << 8 * sizeof(T) | bits_of(low);
    });
    t["cvt.f32." + type] = each([](u32 a) { return (float)number_at<T>(&a); });
}

/* Converts to T. If T is an integer type, clamps a, and NaN becomes 0. */
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
    if constexpr (std::is_floating_point<From>::value) {
        by("rzi", [](From a) { return std::trunc(a); });
        by("rni", [](From a) { return std::nearbyint(a); });
        by("rmi", [](From a) { return std::floor(a); });
        by("rpi", [](From a) { return std::ceil(a); });
    }
}

template <class... T> void convert_all(Table &t)
{
    all<T...>([&](auto to) {
        all<T...>([&](auto from) { convert<decltype(to), decltype(from)>(t); });
    });
}
} // namespace

void add_numbers(Table &t)
{
    all<s16, u16, s32, u32, s64, u64, float, double>(
        [&](auto x) { numbers<decltype(x)>(t); });
    all<s16, u16, s32, u32, s64, u64>(
        [&](auto x) { integers<decltype(x)>(t); });
    all<u16, u32, u64>([&](auto x) { of_bits<decltype(x)>(t); });
    all<float, double>([&](auto x) { floats<decltype(x)>(t); });
    widened<s16, s32>(t);
    widened<u16, u32>(t);
    widened<s32, s64>(t);
    widened<u32, u64>(t);
    convert_all<s8, u8, s16, u16, s32, u32, s64, u64, float, double>(t);
    shorter<bf16>(t, "bf16");
    shorter<fp16>(t, "f16");
    shorter<e4m3>(t, "e4m3", "satfinite.");

    t["ex2.ftz.f32"] =
        each([](float a) { return flushed(std::exp2(flushed(a))); });
    t["and.pred"] = each([](bool a, bool b) { return a && b; });
    t["or.pred"] = each([](bool a, bool b) { return a || b; });
    t["xor.pred"] = each([](bool a, bool b) { return a != b; });
    t["not.pred"] = each([](bool a) { return !a; });
    t["mov.pred"] = each([](bool a) { return a; });
}
