/* integers.cpp: the table of opcodes, as far as it is integers, predicates
 * and bits: each with its types and with what it does. What is too large for
 * its type wraps around (-fwrapv). */
#include <algorithm>

#include "07_cuda/witness/opcode.h"

__extension__ using u128 = unsigned __int128;

namespace
{
template <class T> void integers(Table &t)
{
    auto put = rows_of<T>(t);

    /* ANCHOR: table */
    put("add", [](T a, T b) { return (T)(a + b); });
    put("sub", [](T a, T b) { return (T)(a - b); });
    put("mul.lo", [](T a, T b) { return (T)(a * b); });
    put("mad.lo", [](T a, T b, T c) { return (T)(a * b + c); });
    /* ANCHOR_END: table */
    put("neg", [](T a) { return (T)-a; });
    put("abs", [](T a) { return a < 0 ? (T)-a : a; });
    put("min", [](T a, T b) { return a < b ? a : b; });
    put("max", [](T a, T b) { return a > b ? a : b; });
    /* What a GPU gives for a division by 0: all bits set. */
    put("div", [](T a, T b) {
        return b == 0 ? (T)-1 : b == (T)-1 && b < 0 ? (T)-a : (T)(a / b);
    });
    put("rem", [](T a, T b) {
        return b == 0 ? a : b == (T)-1 && b < 0 ? (T)0 : (T)(a % b);
    });
    put("shr", [](T a, u32 n) {
        constexpr u32 most = sizeof(T) * 8 - 1;
        return (T)-1 > 0 && n > most ? (T)0 : (T)(a >> std::min(n, most));
    });
}

/* To twice as many bits. */
template <class T, class Wide> void widened(Table &t)
{
    auto put = rows_of<T>(t);

    put("mul.hi",
        [](T a, T b) { return (T)((Wide)a * (Wide)b >> 8 * sizeof(T)); });
    put("mul.wide", [](T a, T b) { return (Wide)((Wide)a * (Wide)b); });
    put("mad.wide",
        [](T a, T b, Wide c) { return (Wide)((Wide)a * (Wide)b + c); });
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
    put("brev", [](U a) {
        U r = 0;
        for (size_t i = 0; i < all; i++)
            r = (U)(r << 1 | (a >> i & 1));
        return r;
    });
    put("selp", [](U a, U b, bool p) { return p ? a : b; });
    put("setp.eq", [](U a, U b) { return a == b; });
    put("setp.ne", [](U a, U b) { return a != b; });
}

template <class T> bool ordered(T a, T b)
{
    return a <= b || a > b;
}

/* Also of numbers with a fraction: of NaN what ends in u holds, and else none. */
template <class T> void compared(Table &t)
{
    auto put = [&](std::string name, auto holds) {
        t["setp." + name + type<T>()] =
            each([holds](T a, T b) { return ordered(a, b) && holds(a, b); });
        t["setp." + name + "u" + type<T>()] =
            each([holds](T a, T b) { return !ordered(a, b) || holds(a, b); });
    };

    put("eq", [](T a, T b) { return a == b; });
    put("ne", [](T a, T b) { return a != b; });
    put("lt", [](T a, T b) { return a < b; });
    put("le", [](T a, T b) { return a <= b; });
    put("gt", [](T a, T b) { return a > b; });
    put("ge", [](T a, T b) { return a >= b; });
    put("num", [](T, T) { return true; });
    t["setp.nan" + type<T>()] = each([](T a, T b) { return !ordered(a, b); });
}

/* Four of eight bytes. */
u32 permute(u32 a, u32 b, u32 which)
{
    u64 both = (u64)b << 32 | a;
    u32 r = 0;

    for (int i = 0; i < 4; i++) {
        u32 s = which >> 4 * i & 15, byte = (u32)(both >> 8 * (s & 7)) & 255;
        r |= (s & 8 ? (byte >> 7) * 255 : byte) << 8 * i;
    }
    return r;
}
} // namespace

void add_integers(Table &t)
{
    all<s16, u16, s32, u32, s64, u64>(
        [&](auto x) { integers<decltype(x)>(t); });
    all<s16, u16, s32, u32, s64, u64, float, double>(
        [&](auto x) { compared<decltype(x)>(t); });
    all<u16, u32, u64>([&](auto x) { of_bits<decltype(x)>(t); });
    widened<s16, s32>(t);
    widened<u16, u32>(t);
    widened<s32, s64>(t);
    widened<u32, u64>(t);
    t["mul.hi.u64"] =
        each([](u64 a, u64 b) { return (u64)((u128)a * b >> 64); });

    t["and.pred"] = each([](bool a, bool b) { return a && b; });
    t["or.pred"] = each([](bool a, bool b) { return a || b; });
    t["xor.pred"] = each([](bool a, bool b) { return a != b; });
    t["not.pred"] = each([](bool a) { return !a; });
    t["mov.pred"] = each([](bool a) { return a; });
    t["bfe.u32"] = each([](u32 a, u32 at, u32 length) {
        u32 ones = length > 31 ? ~0u : (1u << length) - 1;
        return at > 31 ? 0 : a >> at & ones;
    });
    t["prmt.b32"] = each([](u32 a, u32 b, u32 c) { return permute(a, b, c); });
    t["shf.l.wrap.b32"] = each([](u32 low, u32 high, u32 n) {
        return (u32)(((u64)high << 32 | low) << (n & 31) >> 32);
    });
    t["shf.r.wrap.b32"] = each([](u32 low, u32 high, u32 n) {
        return (u32)(((u64)high << 32 | low) >> (n & 31));
    });
    t["bfind.u32"] =
        each([](u32 a) { return a ? 31 - (u32)__builtin_clz(a) : ~0u; });
}
