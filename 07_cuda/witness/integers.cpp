/* integers.cpp: the table of opcodes, as far as it is integers, predicates
 * and bits: each with its types and with what it does. */
#include <algorithm>

#include "07_cuda/witness/opcode.h"

__extension__ using u128 = unsigned __int128;

namespace
{
/* What an integer of type T, unsigned U, can do; `wide` is twice as wide. */
template <class T, class U> void integers(Table &t, const std::string &type)
{
    auto put = [&](auto name, auto op) { t[name + ("." + type)] = op; };

    /* ANCHOR: table */
    put("add", each([](U a, U b) { return (U)(a + b); }));
    put("sub", each([](U a, U b) { return (U)(a - b); }));
    put("mul.lo", each([](U a, U b) { return (U)(a * b); }));
    put("mad.lo", each([](U a, U b, U c) { return (U)(a * b + c); }));
    /* ANCHOR_END: table */
    put("neg", each([](U a) { return (U)(0 - a); }));
    put("abs", each([](T a) { return a < 0 ? (T)(0 - (U)a) : a; }));
    put("min", each([](T a, T b) { return a < b ? a : b; }));
    put("max", each([](T a, T b) { return a > b ? a : b; }));
    /* What a GPU gives for a division by 0: all bits set. */
    put("div", each([](T a, T b) {
            return b == 0 ? (T) ~(U)0 : b == (T)-1 ? (T)(0 - (U)a) : (T)(a / b);
        }));
    put("rem", each([](T a, T b) {
            return b == 0 ? a : b == (T)-1 && (T)-1 < 0 ? (T)0 : (T)(a % b);
        }));
    put("shr", each([](T a, u32 n) {
            constexpr u32 most = sizeof(T) * 8 - 1;
            return (T)-1 > 0 && n > most ? (T)0 : (T)(a >> std::min(n, most));
        }));
}

/* 32 bits or fewer. */
template <class T, class Wide> void narrow(Table &t, const std::string &type)
{
    t["mul.hi." + type] =
        each([](T a, T b) { return (T)((Wide)((Wide)a * b) >> 32); });
    t["mul.wide." + type] = each([](T a, T b) { return (Wide)a * b; });
    t["mad.wide." + type] = each(
        [](T a, T b, Wide c) { return (Wide)((u64)((Wide)a * b) + (u64)c); });
}

template <class U> void bits(Table &t, const std::string &width)
{
    t["and.b" + width] = each([](U a, U b) { return (U)(a & b); });
    t["or.b" + width] = each([](U a, U b) { return (U)(a | b); });
    t["xor.b" + width] = each([](U a, U b) { return (U)(a ^ b); });
    t["not.b" + width] = each([](U a) { return (U)~a; });
    t["shl.b" + width] =
        each([](U a, u32 n) { return n < sizeof(U) * 8 ? (U)(a << n) : (U)0; });
    t["popc.b" + width] =
        each([](U a) { return (u32)__builtin_popcountll(a); });
    t["clz.b" + width] = each([](U a) {
        return (u32)(a ? __builtin_clzll(a) - (64 - 8 * (int)sizeof(U))
                       : 8 * (int)sizeof(U));
    });
    t["bfi.b" + width] = each([](U from, U to, u32 at, u32 length) {
        constexpr u32 all = sizeof(U) * 8;
        at &= 255, length &= 255;
        U ones = length < all ? ((U)1 << length) - 1 : (U) ~(U)0;
        return at < all ? (U)((to & ~(U)(ones << at)) | (U)(from & ones) << at)
                        : to;
    });
    t["brev.b" + width] = each([](U a) {
        U r = 0;
        for (size_t i = 0; i < sizeof(U) * 8; i++)
            r = (U)(r << 1 | (a >> i & 1));
        return r;
    });
}

/* Also of numbers that are no integers: NaN is never ordered. */
template <class T> void compared(Table &t, const std::string &type)
{
    auto put = [&](std::string name, auto op) {
        t["setp." + name + "." + type] = op;
    };

    put("eq", each([](T a, T b) { return a == b; }));
    put("ne", each([](T a, T b) { return a < b || a > b; }));
    put("lt", each([](T a, T b) { return a < b; }));
    put("le", each([](T a, T b) { return a <= b; }));
    put("gt", each([](T a, T b) { return a > b; }));
    put("ge", each([](T a, T b) { return a >= b; }));
    put("equ", each([](T a, T b) { return !(a < b || a > b); }));
    put("neu", each([](T a, T b) { return !(a == b); }));
    put("ltu", each([](T a, T b) { return !(a >= b); }));
    put("leu", each([](T a, T b) { return !(a > b); }));
    put("gtu", each([](T a, T b) { return !(a <= b); }));
    put("geu", each([](T a, T b) { return !(a < b); }));
    put("num", each([](T a, T b) { return a == a && b == b; }));
    put("nan", each([](T a, T b) { return a != a || b != b; }));
}

u32 field(u32 length)
{
    return length > 31 ? ~0u : (1u << length) - 1;
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
    integers<s16, u16>(t, "s16");
    integers<u16, u16>(t, "u16");
    integers<s32, u32>(t, "s32");
    integers<u32, u32>(t, "u32");
    integers<s64, u64>(t, "s64");
    integers<u64, u64>(t, "u64");
    narrow<s32, s64>(t, "s32");
    narrow<u32, u64>(t, "u32");
    bits<u16>(t, "16");
    bits<u32>(t, "32");
    bits<u64>(t, "64");
    t["mul.wide.s16"] = each([](s16 a, s16 b) { return (s32)a * b; });
    t["mul.wide.u16"] = each([](u16 a, u16 b) { return (u32)a * b; });
    t["mul.hi.u64"] =
        each([](u64 a, u64 b) { return (u64)((u128)a * b >> 64); });
    compared<s16>(t, "s16");
    compared<u16>(t, "u16");
    compared<s32>(t, "s32");
    compared<u32>(t, "u32");
    compared<u32>(t, "b32");
    compared<s64>(t, "s64");
    compared<u64>(t, "u64");
    compared<u64>(t, "b64");
    compared<float>(t, "f32");
    compared<double>(t, "f64");

    t["and.pred"] = each([](bool a, bool b) { return a && b; });
    t["or.pred"] = each([](bool a, bool b) { return a || b; });
    t["xor.pred"] = each([](bool a, bool b) { return a != b; });
    t["not.pred"] = each([](bool a) { return !a; });
    t["mov.pred"] = each([](bool a) { return a; });
    for (const char *type : {"b16", "u16", "s16", "b32", "u32", "s32", "f32"})
        t[std::string("selp.") + type] =
            each([](u32 a, u32 b, bool p) { return p ? a : b; });
    for (const char *type : {"b64", "u64", "s64", "f64"})
        t[std::string("selp.") + type] =
            each([](u64 a, u64 b, bool p) { return p ? a : b; });

    t["bfe.u32"] = each([](u32 a, u32 at, u32 length) {
        return at > 31 ? 0 : a >> at & field(length);
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
