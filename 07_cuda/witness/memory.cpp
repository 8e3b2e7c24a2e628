/*
 * memory.cpp: where an address lies, and loads, stores and atomics. An address
 * that is not there, or no multiple of what is asked for, ends the program.
 */
#include <atomic>

#include "07_cuda/witness/numbers.h"
#include "07_cuda/witness/opcode.h"

namespace
{
u8 *local_at(Warp &w, const Instruction &in, int lane, u64 offset, int bytes)
{
    u64 each = (u64)w.block->kernel->local_bytes;

    if (offset + (u64)bytes > each)
        wrong(w, in, "local address %llu: a thread has %llu bytes",
              (unsigned long long)offset, (unsigned long long)each);
    return &w.local[(u64)lane * each + offset];
}
} // namespace

u8 *memory_at(Warp &w, const Instruction &in, int lane, Space space,
              u64 address, int bytes)
{
    const Block &b = *w.block;

    if (address % (u64)bytes)
        wrong(w, in, "lane %d: address %llx is not a multiple of %d", lane,
              (unsigned long long)address, bytes);
    if (space == SHARED)
        return shared_at(w, in, (u32)address, bytes);
    if (space == LOCAL)
        return local_at(w, in, lane, address, bytes);
    if (u8 *there = allocated_at(address, bytes))
        return there;
    u64 parameters = (u64)b.parameters;
    if (address >= parameters &&
        address + (u64)bytes <= parameters + (u64)b.kernel->parameter_bytes)
        return (u8 *)address;
    if (space == GENERIC && address >= SHARED_WINDOW)
        return shared_at(w, in, (u32)(address - SHARED_WINDOW), bytes);
    if (space == GENERIC && address >= LOCAL_WINDOW)
        return local_at(w, in, lane, address - LOCAL_WINDOW, bytes);
    wrong(w, in, "lane %d: %d bytes at %llx: no memory is there", lane, bytes,
          (unsigned long long)address);
}

namespace
{
Space space_of(const Words &name)
{
    return has(name, "shared") || has(name, "shared::cta") ? SHARED
           : has(name, "global") || has(name, "const")     ? GLOBAL
           : has(name, "local")                            ? LOCAL
                                                           : GENERIC;
}

/* Where lane l's n bytes are, for an address and what is added to it. */
template <Space space>
u8 *at(Warp &w, const Instruction &in, int l, const Operand &o, int bytes)
{
    u64 address = w.number(o, l) + (u64)o.value;

    if (space == SHARED) /* the one that has to be fast */
        return shared_at(w, in, (u32)address, bytes);
    return memory_at(w, in, l, space, address, bytes);
}

template <class T, Space space>
void load(Warp &w, const Instruction &in, lanes who)
{
    int n = in.op.numbers[0];

    EACH (l, who) {
        const u8 *from = at<space>(w, in, l, in.o[n], n * (int)sizeof(T));
        for (int e = 0; e < n; e++) {
            T x;
            std::memcpy(&x, from + e * (int)sizeof(T), sizeof(T));
            if (in.o[e].bytes == 8)
                w.lane<u64>(in.o[e])[l] = (u64)x;
            else
                w.lane<u32>(in.o[e])[l] = (u32)x;
        }
    }
}

/* The address comes first, then n numbers. */
template <class T, Space space>
void store(Warp &w, const Instruction &in, lanes who)
{
    int n = in.op.numbers[0];

    EACH (l, who) {
        u8 *to = at<space>(w, in, l, in.o[0], n * (int)sizeof(T));
        Block &b = *w.block;
        if (to >= b.shared.data() && to < b.shared.data() + b.shared.size())
            b.unfenced[(to - b.shared.data()) / 16] = (u8)(1 + w.index);
        for (int e = 0; e < n; e++) {
            T x = (T)w.number(in.o[1 + e], l);
            std::memcpy(to + e * (int)sizeof(T), &x, sizeof(T));
        }
    }
}

template <class T> Run load_or_store(bool loads, Space space)
{
    static const Run loaded[] = {load<T, GENERIC>, load<T, GLOBAL>,
                                 load<T, SHARED>, load<T, LOCAL>};
    static const Run stored[] = {store<T, GENERIC>, store<T, GLOBAL>,
                                 store<T, SHARED>, store<T, LOCAL>};

    return loads ? loaded[space] : stored[space];
}

/* An atomic with the meaning `next`: what is there afterwards. */
template <class T, T (*next)(T old, T a, T b)>
void atomic(Warp &w, const Instruction &in, lanes who)
{
    int first = in.op.written; /* red has nothing to write */
    Space space = (Space)in.op.numbers[0];

    EACH (l, who) {
        const Operand &o = in.o[first];
        u64 a = w.number(in.o[first + 1], l), b = 0;
        u8 *p = memory_at(w, in, l, space, w.number(o, l) + (u64)o.value,
                          sizeof(T));
        auto *there = (std::atomic<T> *)p;
        T old = there->load(), x, y = 0;

        std::memcpy(&x, &a, sizeof x);
        if ((int)in.o.size() > first + 2)
            b = w.number(in.o[first + 2], l), std::memcpy(&y, &b, sizeof y);
        while (!there->compare_exchange_weak(old, next(old, x, y)))
            continue;
        if (first)
            std::memcpy(w.lane<T>(in.o[0]) + l, &old, sizeof old);
    }
}
template <class T> T sum(T old, T a, T)
{
    return (T)(old + a);
}
template <class T> T least(T old, T a, T)
{
    return a < old ? a : old;
}
template <class T> T most(T old, T a, T)
{
    return a > old ? a : old;
}
template <class T> T exchanged(T, T a, T)
{
    return a;
}
template <class T> T swapped(T old, T a, T b)
{
    return old == a ? b : old;
}
template <class T> T both(T old, T a, T)
{
    return old & a;
}
template <class T> T either(T old, T a, T)
{
    return old | a;
}
template <class T> T one_of(T old, T a, T)
{
    return old ^ a;
}
template <class T> T counted_up(T old, T a, T)
{
    return old >= a ? 0 : old + 1;
}
template <class T> T counted_down(T old, T a, T)
{
    return old == 0 || old > a ? a : old - 1;
}

template <class T> Run atomic_of_any(const Words &name)
{
    return has(name, "add")   ? atomic<T, sum<T>>
           : has(name, "min") ? atomic<T, least<T>>
           : has(name, "max") ? atomic<T, most<T>>
                              : (Run) nullptr;
}
template <class T> Run atomic_of_bits(const Words &name)
{
    return has(name, "exch")  ? atomic<T, exchanged<T>>
           : has(name, "cas") ? atomic<T, swapped<T>>
           : has(name, "and") ? atomic<T, both<T>>
           : has(name, "or")  ? atomic<T, either<T>>
           : has(name, "xor") ? atomic<T, one_of<T>>
           : has(name, "inc") ? atomic<T, counted_up<T>>
           : has(name, "dec") ? atomic<T, counted_down<T>>
                              : atomic_of_any<T>(name);
}
} // namespace

/* ld.SPACE.v4.TYPE a, [b]; st.SPACE.v4.TYPE [a], b */
Opcode memory_opcode(const Words &name)
{
    const std::string &type = name.back();
    bool loads = name[0] == "ld", is_signed = type[0] == 's';
    Space space = space_of(name);
    int n = has(name, "v2") ? 2 : has(name, "v4") ? 4 : 1;
    int bits = std::atoi(type.c_str() + 1);
    Run run = bits == 64   ? load_or_store<u64>(loads, space)
              : bits == 32 ? (is_signed ? load_or_store<s32>(loads, space)
                                        : load_or_store<u32>(loads, space))
              : bits == 16 ? (is_signed ? load_or_store<s16>(loads, space)
                                        : load_or_store<u16>(loads, space))
              : bits == 8  ? (is_signed ? load_or_store<s8>(loads, space)
                                        : load_or_store<u8>(loads, space))
                           : nullptr;

    return {run, {}, PLAIN, loads ? n : 0, {n}};
}

/* atom.SPACE.WHAT.TYPE d, [a], b, c; red the same without d */
Opcode atomic_opcode(const Words &name)
{
    const std::string &type = name.back();
    Run run = type == "u32" || type == "b32"   ? atomic_of_bits<u32>(name)
              : type == "u64" || type == "b64" ? atomic_of_bits<u64>(name)
              : type == "s32"                  ? atomic_of_any<s32>(name)
              : type == "s64"                  ? atomic_of_any<s64>(name)
              : type == "f32"                  ? atomic_of_any<float>(name)
              : type == "f64"                  ? atomic_of_any<double>(name)
                                               : nullptr;

    return {run, {}, PLAIN, name[0] == "atom", {space_of(name)}};
}

void add_to_float(u8 *at, float x)
{
    auto *there = (std::atomic<float> *)at;
    float old = there->load();

    while (!there->compare_exchange_weak(old, old + x))
        continue;
}

/* --- mov, and addresses of one kind as those of another ---------------------- */

namespace
{
/* mov d, {a, b}: of n parts one number. */
void pack(Warp &w, const Instruction &in, lanes who)
{
    int n = (int)in.o.size() - 1, width = in.op.numbers[0] / n;

    EACH (l, who) {
        u64 x = 0;
        for (int e = n; e > 0; e--)
            x = x << width | (w.number(in.o[e], l) & (~0ull >> (64 - width)));
        if (in.o[0].bytes == 8)
            w.lane<u64>(in.o[0])[l] = x;
        else
            w.lane<u32>(in.o[0])[l] = (u32)x;
    }
}
void unpack(Warp &w, const Instruction &in, lanes who)
{
    int n = (int)in.o.size() - 1, width = in.op.numbers[0] / n;

    EACH (l, who) {
        u64 x = w.number(in.o[n], l);
        for (int e = 0; e < n; e++, x >>= width)
            w.lane<u32>(in.o[e])[l] = (u32)(x & (~0ull >> (64 - width)));
    }
}
} // namespace

/* mov.TYPE d, a; the parser adds "{}=" or "={}" to the name. cvta.SPACE makes
 * an address that any load may be given, cvta.to.SPACE one of that space. */
Opcode move_opcode(const Words &name)
{
    const std::string &type = name[name[0] == "cvta" ? name.size() - 1 : 1];
    int bits = std::atoi(type.c_str() + 1);

    if (has(name, "{}="))
        return {unpack, {}, PLAIN, 64 / 16, {bits}};
    if (has(name, "={}"))
        return {pack, {}, PLAIN, 1, {bits}};
    if (name[0] == "mov" || has(name, "global") || has(name, "param") ||
        has(name, "const"))
        return bits == 64 ? each([](u64 a) { return a; })
                          : each([](u32 a) { return a; });
    if (has(name, "shared"))
        return has(name, "to") ? each([](u64 a) { return a - SHARED_WINDOW; })
                               : each([](u64 a) { return a + SHARED_WINDOW; });
    return has(name, "to") ? each([](u64 a) { return a - LOCAL_WINDOW; })
                           : each([](u64 a) { return a + LOCAL_WINDOW; });
}
