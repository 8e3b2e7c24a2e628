/*
 * memory.cpp: where an address lies, and loads, stores, atomics and mov. An
 * address that is not there, or no multiple of what is asked for, ends the
 * program.
 */
#include <atomic>

#include "07_cuda/witness/allocations.h"
#include "07_cuda/witness/opcode.h"

static u8 *local_at(Warp &w, const Instruction &in, int lane, u64 offset,
                    int bytes)
{
    u64 each = (u64)w.block->kernel->local_bytes;

    if (offset + (u64)bytes > each)
        wrong(w, in, "local address %llu: a thread has %llu bytes",
              (unsigned long long)offset, (unsigned long long)each);
    return &w.local[(u64)lane * each + offset];
}

u8 *memory_at(Warp &w, const Instruction &in, int lane, Space space, u64 at,
              int bytes)
{
    const Block &b = *w.block;
    u64 parameters = (u64)b.parameters;
    u64 end = parameters + (u64)b.kernel->parameter_bytes;

    if (space == SHARED)
        return shared_at(w, in, (u32)at, bytes);
    if (at % (u64)bytes)
        wrong(w, in, "lane %d: address %llx is not a multiple of %d", lane,
              (unsigned long long)at, bytes);
    if (space == LOCAL)
        return local_at(w, in, lane, at, bytes);
    if (u8 *there = allocated_at(at, (size_t)bytes))
        return there;
    if (at >= parameters && at + (u64)bytes <= end)
        return (u8 *)at;
    if (space == GENERIC && at >= SHARED_WINDOW)
        return shared_at(w, in, (u32)(at - SHARED_WINDOW), bytes);
    if (space == GENERIC && at >= LOCAL_WINDOW)
        return local_at(w, in, lane, at - LOCAL_WINDOW, bytes);
    wrong(w, in, "lane %d: %d bytes at %llx: no memory is there", lane, bytes,
          (unsigned long long)at);
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

/* ld a, [b]; ld.v4 {a, b, c, d}, [e]. Short numbers become as wide as the
 * register. */
template <class T> void load(Warp &w, const Instruction &in, int l)
{
    int n = in.op.numbers[COUNT], bytes = n * (int)sizeof(T);
    const u8 *from = memory_at(w, in, l, (Space)in.op.numbers[SPACE],
                               address(w, in.o[(size_t)n], l), bytes);

    for (int e = 0; e < n; e++) {
        const Operand &to = in.o[(size_t)e];
        T x;
        std::memcpy(&x, from + e * (int)sizeof(T), sizeof(T));
        if (to.bytes == 8)
            w.lane<u64>(to)[l] = (u64)x;
        else
            w.lane<u32>(to)[l] = (u32)x;
    }
}

/* st [a], b */
template <class T> void store(Warp &w, const Instruction &in, int l)
{
    Block &b = *w.block;
    int n = in.op.numbers[COUNT], bytes = n * (int)sizeof(T);
    u8 *to = memory_at(w, in, l, (Space)in.op.numbers[SPACE],
                       address(w, in.o[0], l), bytes);

    if (to >= b.shared.data() && to < b.shared.data() + b.shared.size())
        b.unfenced[(size_t)(to - b.shared.data()) / 16] = (u8)(1 + w.index);
    for (int e = 0; e < n; e++) {
        T x = (T)w.number(in.o[(size_t)e + 1], l);
        std::memcpy(to + e * (int)sizeof(T), &x, sizeof(T));
    }
}

template <class T> Run run_of(bool loads)
{
    return loads ? by_lane<load<T>> : by_lane<store<T>>;
}

Opcode load_or_store(const Words &name)
{
    static const std::map<std::string, Run (*)(bool)> types = {
        {"8", run_of<u8>},   {"16", run_of<u16>}, {"32", run_of<u32>},
        {"64", run_of<u64>}, {"s8", run_of<s8>},  {"s16", run_of<s16>},
        {"s32", run_of<s32>}};
    const std::string &type = name.back();
    auto found = types.find(type);
    bool loads = name[0] != "st";
    int n = has(name, "v2") ? 2 : has(name, "v4") ? 4 : 1;

    if (found == types.end())
        found = types.find(type.substr(1));
    return {found == types.end() ? nullptr : found->second(loads),
            {},
            PLAIN,
            loads ? n : 0,
            {n, space_of(name)}};
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
            auto *there = (std::atomic<T> *)memory_at(
                w, in, l, (Space)in.op.numbers[SPACE], address(w, o[0], l),
                sizeof(T));
            T b = w.lane<T>(o[1])[l], old = there->load();
            T c = has_c ? w.lane<T>(o[2])[l] : b;
            while (!there->compare_exchange_weak(old, kept(old, b, c)))
                continue;
            if (in.op.written)
                w.lane<T>(in.o[0])[l] = old;
        }
    }};
}

template <class T> void add_numbers(Table &t, const std::string &type)
{
    t["add." + type] = atomic<T>([](T old, T b, T) { return (T)(old + b); });
    t["min." + type] =
        atomic<T>([](T old, T b, T) { return std::min(old, b); });
    t["max." + type] =
        atomic<T>([](T old, T b, T) { return std::max(old, b); });
}
template <class T> void add_bits(Table &t, const std::string &type)
{
    t["exch." + type] = atomic<T>([](T, T b, T) { return b; });
    t["cas." + type] =
        atomic<T>([](T old, T b, T c) { return old == b ? c : old; });
    t["and." + type] = atomic<T>([](T old, T b, T) { return old & b; });
    t["or." + type] = atomic<T>([](T old, T b, T) { return old | b; });
    t["xor." + type] = atomic<T>([](T old, T b, T) { return old ^ b; });
}

Opcode atomic_of(const Words &name)
{
    static const Table all = [] {
        Table t;
        add_numbers<u32>(t, "u32");
        add_numbers<s32>(t, "s32");
        add_numbers<u64>(t, "u64");
        add_numbers<s64>(t, "s64");
        add_numbers<float>(t, "f32");
        add_numbers<double>(t, "f64");
        add_bits<u32>(t, "b32");
        add_bits<u64>(t, "b64");
        return t;
    }();

    for (const std::string &word : name) {
        auto found = all.find(word + "." + name.back());
        if (found == all.end())
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
        x = x << width | (w.number(in.o[e], l) & ~0ull >> (64 - width));
    if (in.o[0].bytes == 8)
        w.lane<u64>(in.o[0])[l] = x;
    else
        w.lane<u32>(in.o[0])[l] = (u32)x;
}
void unpack(Warp &w, const Instruction &in, int l)
{
    size_t n = in.o.size() - 1;
    int width = in.op.numbers[0] / (int)n;
    u64 x = w.number(in.o[n], l);

    for (size_t e = 0; e < n; e++, x >>= width)
        w.lane<u32>(in.o[e])[l] = (u32)(x & ~0ull >> (64 - width));
}

/* The parser adds "{}=" or "={}" to the name. */
Opcode move(const Words &name)
{
    int bits = std::atoi(name[1].c_str() + 1);

    if (has(name, "{}="))
        return {by_lane<unpack>, {}, PLAIN, 64 / 16, {bits}};
    if (has(name, "={}"))
        return {by_lane<pack>, {}, PLAIN, 1, {bits}};
    return bits == 64 ? each([](u64 a) { return a; })
                      : each([](u32 a) { return a; });
}
} // namespace

void add_memory(Table &t)
{
    for (const char *name : {"ld", "ldu", "st"})
        t[name] = {nothing, {}, PLAIN, 0, {}, load_or_store};
    t["atom"] = t["red"] = {nothing, {}, PLAIN, 0, {}, atomic_of};
    t["mov"] = {nothing, {}, PLAIN, 0, {}, move};
    /* What any load may be given, and what a load of that space is given. */
    t["cvta"] = t["cvta.to"] = each([](u64 a) { return a; });
    t["cvta.shared"] = each([](u64 a) { return a + SHARED_WINDOW; });
    t["cvta.to.shared"] = each([](u64 a) { return a - SHARED_WINDOW; });
    t["cvta.local"] = each([](u64 a) { return a + LOCAL_WINDOW; });
    t["cvta.to.local"] = each([](u64 a) { return a - LOCAL_WINDOW; });
}
