/*
 * memory.cpp: where an address lies, and loads, stores, atomics and mov. An
 * address that is not there, or no multiple of what is asked for, ends the
 * program.
 */
#include "07_cuda/witness/allocations.h"
#include "07_cuda/witness/opcode.h"

u8 *shared_at(Warp &w, const Instruction &in, u64 address, int bytes)
{
    std::vector<u8> &shared = w.block->shared;
    u64 offset = address - SHARED_BASE;

    if (address < SHARED_BASE || offset + (u64)bytes > shared.size())
        wrong(w, in, "%d bytes at %d of shared memory: the block has %zu",
              bytes, (int)offset, shared.size());
    if (offset % (u64)bytes)
        wrong(w, in, "%d of shared memory is not a multiple of %d", (int)offset,
              bytes);
    return &shared[offset];
}

u8 *memory_at(Warp &w, const Instruction &in, int lane, Space space, u64 at,
              int bytes)
{
    std::vector<u8> &parameters = w.block->parameters;
    u64 size = (u64)bytes, local = (u64)w.block->kernel->local_bytes;

    if (space == SHARED)
        return shared_at(w, in, (u32)at, bytes);
    if (space == GENERIC && at >= SHARED_WINDOW)
        return shared_at(w, in, at - SHARED_WINDOW, bytes);
    if (at % size)
        wrong(w, in, "lane %d: address %llx is not a multiple of %d", lane,
              (unsigned long long)at, bytes);
    if (space == LOCAL)
        at += LOCAL_WINDOW;
    if (u8 *there = allocated_at(at, size))
        return there;
    if (at >= PARAMETERS && at - PARAMETERS + size <= parameters.size())
        return &parameters[at - PARAMETERS];
    if (at >= LOCAL_WINDOW && at - LOCAL_WINDOW + size <= local)
        return &w.local[(u64)lane * local + at - LOCAL_WINDOW];
    wrong(w, in, "lane %d: %d bytes at %llx: no memory is there", lane, bytes,
          (unsigned long long)at);
}

void stored(Warp &w, const u8 *at)
{
    size_t offset = (size_t)(at - w.block->shared.data());

    if (offset < w.block->shared.size())
        w.block->unfenced[offset / 16] = (u8)(1 + w.index);
}

void check_fenced(Warp &w, const Instruction &in, u32 at)
{
    if (u8 by = w.block->unfenced[(at - SHARED_BASE) / 16])
        wrong(w, in,
              "%u of shared memory: what warp %d stored there was not fenced "
              "(fence.proxy.async)",
              at - SHARED_BASE, by - 1);
}

namespace
{
/* What the names of loads, stores and atomics say. */
enum { COUNT, SPACE };

int space_of(const Words &name)
{
    return has(name, "shared") || has(name, "shared::cta") ? SHARED
           : has(name, "global") || has(name, "const")     ? GLOBAL
           : has(name, "local")                            ? LOCAL
                                                           : GENERIC;
}

/* ld {a, b, c, d}, [e], of which short numbers become as wide as the register;
 * st [a], {b, c, d, e}. */
template <class T, bool loads>
void load_or_store(Warp &w, const Instruction &in, int l)
{
    size_t n = (size_t)in.op.numbers[COUNT];
    u8 *at =
        memory_at(w, in, l, (Space)in.op.numbers[SPACE],
                  address(w, in.o[loads ? n : 0], l), (int)(n * sizeof(T)));

    for (size_t e = 0; e < n; e++, at += sizeof(T)) {
        T x;
        if (loads) {
            std::memcpy(&x, at, sizeof(T));
            w.set(in.o[e], l, (u64)x);
        } else {
            x = (T)w.get(in.o[e + 1], l);
            std::memcpy(at, &x, sizeof(T));
        }
    }
    if (!loads)
        stored(w, at - 1);
}

Opcode load_or_store_of(const Words &name)
{
    const std::string &last = name.back();
    bool loads = name[0] != "st";
    int n = has(name, "v2") ? 2 : has(name, "v4") ? 4 : 1;
    Opcode op = {nullptr, PLAIN, loads ? n : 0, {n, space_of(name)}};

    /* Signed numbers by name; of others only the bits count. */
    all<u8, u16, u32, u64, s8, s16, s32>([&](auto x) {
        using T = decltype(x);
        bool same = last.substr(1) == type<T>().substr(2);
        if (std::is_signed<T>::value ? "." + last == type<T>() : same)
            op.run = loads ? by_lane<load_or_store<T, true>>
                           : by_lane<load_or_store<T, false>>;
    });
    return op;
}

/* --- Atomics: d, [a], b, c; red has no d ------------------------------------- */

/* next(old, b, c) is what is there afterwards. */
template <class T, class F> Opcode atomic(F next)
{
    static const F kept = next;

    return {[](Warp &w, const Instruction &in, lanes who) {
        const Operand *o = &in.o[(size_t)in.op.written];
        bool has_c = o + 2 < in.o.data() + in.o.size();

        EACH (l, who) {
            u8 *there = memory_at(w, in, l, (Space)in.op.numbers[SPACE],
                                  address(w, o[0], l), sizeof(T));
            T b = w.lane<T>(o[1])[l];
            T c = has_c ? w.lane<T>(o[2])[l] : b;
            T old = changed<T>(there, [&](T x) { return kept(x, b, c); });
            if (in.op.written)
                w.lane<T>(in.o[0])[l] = old;
        }
    }};
}

Opcode atomic_of(const Words &name)
{
    static const Table known = [] {
        Table t;
        all<u32, s32, u64, s64, float, double>([&](auto x) {
            using T = decltype(x);
            auto put = [&](std::string how, auto next) {
                t[how + type<T>()] = atomic<T>(next);
            };
            put("add", [](T old, T b, T) { return old + b; });
            put("min", [](T old, T b, T) { return std::min(old, b); });
            put("max", [](T old, T b, T) { return std::max(old, b); });
        });
        all<u32, u64>([&](auto x) {
            using T = decltype(x);
            auto put = [&](std::string how, auto next) {
                t[how + ".b" + std::to_string(8 * sizeof(T))] = atomic<T>(next);
            };
            put("exch", [](T, T b, T) { return b; });
            put("cas", [](T old, T b, T c) { return old == b ? c : old; });
            put("and", [](T old, T b, T) { return old & b; });
            put("or", [](T old, T b, T) { return old | b; });
            put("xor", [](T old, T b, T) { return old ^ b; });
        });
        return t;
    }();

    for (const std::string &word : name) {
        auto found = known.find(word + "." + name.back());
        if (found == known.end())
            continue;
        Opcode op = found->second;
        op.written = name[0] == "atom";
        op.numbers = {1, space_of(name)};
        return op;
    }
    return {nullptr};
}

/* --- mov, and addresses of one kind as those of another ---------------------- */

/* mov a, {b, c}: of n parts one number; and back. */
void pack(Warp &w, const Instruction &in, int l)
{
    size_t n = in.o.size() - 1;
    int width = in.op.numbers[0] / (int)n;
    u64 x = 0;

    for (size_t e = n; e > 0; e--)
        x = x << width | (w.get(in.o[e], l) & ~0ull >> (64 - width));
    w.set(in.o[0], l, x);
}
void unpack(Warp &w, const Instruction &in, int l)
{
    size_t n = in.o.size() - 1;
    int width = in.op.numbers[0] / (int)n;
    u64 x = w.get(in.o[n], l);

    for (size_t e = 0; e < n; e++, x >>= width)
        w.set(in.o[e], l, x & ~0ull >> (64 - width));
}

/* The parser adds "{}=" or "={}" to the name. */
Opcode move(const Words &name)
{
    int bits = std::atoi(name[1].c_str() + 1);

    if (has(name, "{}="))
        return {by_lane<unpack>, PLAIN, 64 / 16, {bits}};
    if (has(name, "={}"))
        return {by_lane<pack>, PLAIN, 1, {bits}};
    return bits == 64 ? each([](u64 a) { return a; })
                      : each([](u32 a) { return a; });
}
} // namespace

void add_memory(Table &t)
{
    for (const char *name : {"ld", "ldu", "st"})
        t[name].by_name = load_or_store_of;
    t["atom"].by_name = t["red"].by_name = atomic_of;
    t["mov"].by_name = move;
    /* What any load may be given, and what a load of that space is given. */
    t["cvta"] = t["cvta.to"] = each([](u64 a) { return a; });
    t["cvta.shared"] = each([](u64 a) { return a + SHARED_WINDOW; });
    t["cvta.to.shared"] = each([](u64 a) { return a - SHARED_WINDOW; });
    t["cvta.local"] = each([](u64 a) { return a + LOCAL_WINDOW; });
    t["cvta.to.local"] = each([](u64 a) { return a - LOCAL_WINDOW; });
}
