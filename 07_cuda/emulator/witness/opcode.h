/*
 * A line of the table of opcodes from a lambda, whose own types say what the
 * instruction reads and writes:
 *
 *   t["mul.wide.s32"] = each([](s32 a, s32 b) { return (s64)a * b; });
 */
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <map>

#include "07_cuda/emulator/witness/machine.h"

/* Numbers that C++ has no types for, by the headers that come with nvcc. */
using bf16 = __nv_bfloat16;
using fp16 = __half;
using e4m3 = __nv_fp8_e4m3;

/* Its names are without what opcodes.cpp takes away. */
using Table = std::map<std::string, Opcode>;

template <class F, class R, class... A, size_t... n>
Opcode each(F f, R (F::*)(A...) const, std::index_sequence<n...>)
{
    static const F kept = f; /* each lambda has its own type */

    return {[](Warp &w, const Instruction &in, lanes who) {
                EACH (l, who)
                    w.set(in.o[0], l, kept(w.get<A>(in.o[n + 1], l)...));
            },
            PLAIN, true, 1 + sizeof...(A)};
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

/* .s32, .u64, .f32: what PTX calls a type; and where only its bits count. */
template <class T> std::string bits()
{
    return ".b" + std::to_string(8 * sizeof(T));
}
template <class T> std::string type()
{
    std::string name = bits<T>();

    name[1] = std::is_floating_point<T>::value ? 'f'
              : std::is_signed<T>::value       ? 's'
                                               : 'u';
    return name;
}
/* put(name, f): f is what all of these do to numbers of a type. */
template <class T> auto rows_of(Table &t)
{
    return [&t](std::string name, auto f) { t[name + type<T>()] = each(f); };
}
/* f of a number of each of these types. */
template <class... T, class F> void all(F f)
{
    (f(T()), ...);
}

/* The parts of the table. */
void add_numbers(Table &t);
void add_memory(Table &t);
void add_schedule(Table &t);
void add_warp_wide(Table &t);
void add_copies(Table &t);
void add_products(Table &t);
/* Of an instruction's name; run is null: there is none. */
Opcode opcode_of(const std::string &name);

inline void nothing(Warp &, const Instruction &, lanes)
{
}

/* Where lane l's operand points. */
inline u64 address(Warp &w, const Operand &o, int l)
{
    return w.get(o, l) + (u64)o.offset;
}

/* Groups of what is under way, of each lane: the open one is closed; and all
 * but so many of the closed ones are waited for. */
template <Pending (Warp::*of)[WIDTH]>
void close_group(Warp &w, const Instruction &, int l)
{
    (w.*of)[l].open++;
}
template <Pending (Warp::*of)[WIDTH]>
void wait_group(Warp &w, const Instruction &in, int l)
{
    (w.*of)[l].wait(w.get(in.o[0], l));
}
