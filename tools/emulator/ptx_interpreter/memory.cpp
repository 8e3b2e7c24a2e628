/* memory.cpp: addresses, loads, stores, atomics and mov. An access ends the
 * program if its address is not aligned or is in no memory. */
#include "tools/emulator/ptx_interpreter/opcode.h"

u8 *memory_at(Warp &w, const Instruction &in, u64 at, int bytes, int lane)
{
    std::vector<u8> &shared = w.block->shared;
    u64 local = (u64)w.block->kernel->local_bytes;
    auto is_in = [&](u64 first, u64 size) {
        return at >= first && at - first + (u64)bytes <= size;
    };

    if (at % (u64)bytes)
        wrong(w, in, "lane %d: address %lx is not a multiple of %d", lane, at,
              bytes);
    if (is_in(SHARED_BASE, shared.size()))
        return &shared[at - SHARED_BASE];
    if (is_in(LOCAL_BASE, local))
        return &w.local[(u64)lane * local + at - LOCAL_BASE];
    if (u8 *there = allocated_at(at, (size_t)bytes))
        return there;
    if (at < SHARED_END)
        wrong(w, in,
              "lane %d: %d bytes at byte %d of shared memory, which has %zu",
              lane, bytes, (int)(at - SHARED_BASE), shared.size());
    wrong(w, in, "lane %d: %d bytes at %lx: no memory is there", lane, bytes,
          at);
}

void stored(Warp &w, const u8 *at, size_t bytes)
{
    size_t offset = (size_t)(at - w.block->shared.data());

    if (offset < w.block->shared.size())
        for (size_t e = 0; e < bytes; e += 8)
            w.block->unfenced[(offset + e) / 8] = (u8)(1 + w.index);
}

void check_fenced(Warp &w, const Instruction &in, u32 at, u32 bytes)
{
    for (u32 offset = at - SHARED_BASE; bytes > 0; offset += 8, bytes -= 8)
        if (u8 by = w.block->unfenced[offset / 8])
            wrong(w, in,
                  "byte %u of shared memory: warp %d stored there without a "
                  "fence (fence.proxy.async)",
                  offset, by - 1);
}

namespace
{
/* Like memory_at; also ends the program if the name gives another memory. */
u8 *pointed_at(Warp &w, const Instruction &in, const Operand &o, int l,
               size_t bytes)
{
    u64 at = address(w, o, l);

    if (in.space && (in.space == SHARED) != (at < SHARED_END))
        wrong(w, in, "lane %d: %lx is not in the memory of the instruction", l,
              at);
    return memory_at(w, in, at, (int)bytes, l);
}

/* ld {a, b, c, d}, [e] extends short numbers. */
template <class T, bool loads>
void load_or_store(Warp &w, const Instruction &in, int l)
{
    size_t n = in.o.size() - 1;
    u8 *at = pointed_at(w, in, in.o[loads ? n : 0], l, n * sizeof(T));

    if (!loads)
        stored(w, at, n * sizeof(T));
    for (size_t e = 0; e < n; e++, at += sizeof(T)) {
        if (loads) {
            w.set(in.o[e], l, (u64)number_at<T>(at));
        } else {
            T x = (T)w.get(in.o[e + 1], l);
            std::memcpy(at, &x, sizeof(T));
        }
    }
}

/* --- Atomics: d, [a], b, c; red has no d ---------------------------------- */

/* Adds an atomic. The new value in memory is next(old, b, c). */
template <class T, class F> void atomic(Table &t, std::string name, F next)
{
    static const F kept = next;
    Run run = [](Warp &w, const Instruction &in, lanes active) {
        const Operand *o = &in.o[in.written];
        bool has_c = o + 2 < in.o.data() + in.o.size();

        EACH (l, active) {
            u8 *there = pointed_at(w, in, o[0], l, sizeof(T));
            T b = w.get<T>(o[1], l), c = has_c ? w.get<T>(o[2], l) : T();
            T old = number_at<T>(there), made = kept(old, b, c);
            std::memcpy(there, &made, sizeof made);
            if (in.written)
                w.set(in.o[0], l, old);
        }
    };

    t["atom." + name] = {run};
    t["red." + name] = {run, PLAIN, false};
}

template <class T> void atomics(Table &t)
{
    atomic<T>(t, "add" + type<T>(), [](T old, T b, T) { return old + b; });
    if constexpr (std::is_integral<T>::value) {
        auto put = [&](std::string name, auto next) {
            atomic<T>(t, name + type<T>(), next);
            atomic<T>(t, name + bits<T>(), next);
        };
        put("min", [](T old, T b, T) { return std::min(old, b); });
        put("max", [](T old, T b, T) { return std::max(old, b); });
        put("exch", [](T, T b, T) { return b; });
        put("cas", [](T old, T b, T c) { return old == b ? c : old; });
        put("and", [](T old, T b, T) { return old & b; });
        put("or", [](T old, T b, T) { return old | b; });
        put("xor", [](T old, T b, T) { return old ^ b; });
    }
}

/* mov {a, b}, c splits a number into parts, and mov a, {b, c} joins parts to a
 * number. The lowest part is first. */
template <int all> void pack(Warp &w, const Instruction &in, int l)
{
    int width = all / (int)(in.o.size() - in.written);
    u64 x = 0;

    for (size_t e = in.o.size(); e-- > in.written;)
        x = x << width % 64 | (w.get(in.o[e], l) & ~0ull >> (64 - width));
    width = all / (int)in.written;
    for (size_t e = 0; e < in.written; e++) {
        w.set(in.o[e], l, x & ~0ull >> (64 - width));
        x >>= width % 64;
    }
}
} // namespace

void add_memory(Table &t)
{
    all<u8, u16, u32, u64>([&](auto x) {
        using T = decltype(x);
        using Signed = typename std::make_signed<T>::type;
        t["ld" + bits<T>()] = {by_lane<load_or_store<T, true>>};
        t["ld" + type<Signed>()] = {by_lane<load_or_store<Signed, true>>};
        t["st" + bits<T>()] = {by_lane<load_or_store<T, false>>, PLAIN, false};
    });
    all<u32, s32, u64, s64, float, double>(
        [&](auto x) { atomics<decltype(x)>(t); });
    all<u32, u64>([&](auto x) {
        using T = decltype(x);
        t["mov" + bits<T>()] = each([](T a) { return a; });
        t["mov" + bits<T>() + ".{}"] = {by_lane<pack<8 * sizeof(T)>>};
    });
    t["mov.b16"] = t["mov.b32"];
    t["cvta"] = t["mov.b64"]; /* a generic address is the same number */
}
