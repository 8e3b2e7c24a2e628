/*
 * A line of the table of opcodes from a lambda, whose own types say what the
 * instruction reads and writes:
 *
 *   {"mul.wide.s32", each([](s32 a, s32 b) { return (s64)a * b; })}
 *
 * A bool is a predicate. What is shorter than 32 bits lies in a register of 32.
 */
#pragma once
#include <cstring>
#include <map>
#include <utility>

#include "07_cuda/witness/machine.h"

template <class T>
using Stored = typename std::conditional<sizeof(T) < 4, u32, T>::type;

/* A register of all lanes, to be read. */
template <class T> struct Column {
    const Stored<T> *at;
    Column(Warp &w, const Operand &o) : at(w.lane<Stored<T>>(o))
    {
    }
    T operator[](int l) const
    {
        return (T)at[l];
    }
};
template <> struct Column<bool> {
    u32 bits;
    Column(Warp &w, const Operand &o) : bits(w.predicates[o.at])
    {
    }
    bool operator[](int l) const
    {
        return bits >> l & 1;
    }
};

/* What all lanes made goes to those that were there. */
template <class T>
void write(Warp &w, const Operand &o, lanes who, const T *made)
{
    Stored<T> *to = w.lane<Stored<T>>(o);

    if (who == ALL && sizeof(T) >= 4)
        std::memcpy(to, made, WIDTH * sizeof(T));
    else
        EACH (l, who)
            to[l] = (Stored<T>)made[l];
}
inline void write(Warp &w, const Operand &o, lanes who, const bool *made)
{
    u32 bits = 0;

    for (int l = 0; l < WIDTH; l++)
        bits |= (u32)made[l] << l;
    w.set_predicate(o, who, bits);
}

template <class T> constexpr int bytes_of()
{
    return std::is_same<T, bool>::value ? 0 : sizeof(T) == 8 ? 8 : 4;
}

template <class F, class R, class... A>
void apply(const F &f, R *made, const Column<A> &...in)
{
    for (int l = 0; l < WIDTH; l++)
        made[l] = f(in[l]...);
}
template <class F, class R, class... A, size_t... n>
Opcode each(F f, R (F::*)(A...) const, std::index_sequence<n...>)
{
    static const F kept = f; /* each lambda is a type of its own */

    return {[](Warp &w, const Instruction &in, lanes who) {
                R made[WIDTH];
                apply<F, R, A...>(kept, made, Column<A>(w, in.o[n + 1])...);
                write(w, in.o[0], who, made);
            },
            {bytes_of<R>(), bytes_of<A>()...}};
}
template <class F, class R, class... A>
Opcode each(F f, R (F::*call)(A...) const)
{
    return each(f, call, std::index_sequence_for<A...>());
}
template <class F> Opcode each(F f)
{
    return each(f, &F::operator());
}

/* One that is no function of numbers: f, for each lane. */
template <void (*f)(Warp &, const Instruction &, int)>
void by_lane(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        f(w, in, l);
}

/* The parts of the table: a name stands for all that begin with it, unless a
 * longer one is there too. */
using Table = std::map<std::string, Opcode>;
void add_integers(Table &t);
void add_floats(Table &t);
void add_memory(Table &t);
void add_warp_wide(Table &t);
void add_copies(Table &t);
void add_tma(Table &t);
void add_wgmma(Table &t);
Opcode opcode_of(const std::string &name); /* run is null: there is none */

inline bool has(const Words &name, const char *word)
{
    for (const std::string &w : name)
        if (w == word)
            return true;
    return false;
}
inline void nothing(Warp &, const Instruction &, lanes)
{
}

/* Where lane l's operand points. */
inline u64 address(Warp &w, const Operand &o, int l)
{
    return w.number(o, l) + (u64)o.value;
}
