/* opcode.h: makes entries of the table of opcodes. each() makes one from a
 * lambda, whose types are those of the instruction:
 *
 *   t["mul.wide.s32"] = each([](s32 a, s32 b) { return (s64)a * b; }); */
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <map>

#include "tools/emulator/ptx_interpreter/machine.h"

/* Number types that C++ lacks, from the headers that come with nvcc. */
using bf16 = __nv_bfloat16;
using fp16 = __half;
using e4m3 = __nv_fp8_e4m3;

/* The opcodes by name, without the words that opcodes.cpp removes. */
using Table = std::map<std::string, Opcode>;

template <class F, class R, class... A, size_t... n>
Opcode each(F f, R (F::*)(A...) const, std::index_sequence<n...>)
{
    /* Each lambda has its own type F, and so its own `kept`. */
    static const F kept = f;

    return {[](Warp &w, const Instruction &in, lanes active) {
                EACH (l, active)
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

/* Calls f for each active lane. */
template <void (*f)(Warp &, const Instruction &, int)>
void by_lane(Warp &w, const Instruction &in, lanes active)
{
    EACH (l, active)
        f(w, in, l);
}

/* bits returns PTX's name for a type of T's size (.b32). type returns PTX's
 * name of T (.s32, .u32 or .f32). */
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
/* Returns a function put(name, f), which adds f to the table as the opcode
 * name + type<T>(), for example "add.s32". */
template <class T> auto rows_of(Table &t)
{
    return [&t](std::string name, auto f) { t[name + type<T>()] = each(f); };
}
/* Calls f once for each type T, with a number of this type. */
template <class... T, class F> void all(F f)
{
    (f(T()), ...);
}

void add_numbers(Table &t);
void add_memory(Table &t);
void add_schedule(Table &t);
void add_warp_wide(Table &t);
void add_copies(Table &t);
void add_products(Table &t);
/* Returns the opcode with this name. Its `run` is null if the table has no such
 * opcode. */
Opcode opcode_of(const std::string &name);

inline void nothing(Warp &, const Instruction &, lanes)
{
}

inline u64 address(Warp &w, const Operand &o, int l)
{
    return w.get(o, l) + (u64)o.offset;
}

/* wait_group executes all but the last n committed groups of lane l. */
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
