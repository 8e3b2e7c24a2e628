/* What a program gives to the runtime in one piece: the PTX of one .cu. */
#pragma once
#include <map>

#include "07_cuda/witness/machine.h"

struct Module {
    const char *ptx;
    /* __device__ and __constant__ variables, and where they lie. */
    struct Variable {
        u64 address;
        int bytes;
    };
    std::map<std::string, Variable> variables;
    struct Shared { /* __shared__ outside of a kernel; no bytes: extern */
        int align, bytes;
    };
    std::map<std::string, Shared> shared;
    std::map<int, std::string> files; /* of .loc */

    explicit Module(const char *text);
};

Kernel *compile(const Module &m, const std::string &entry);

/* `.shared .align 16 .b8 name[64] = {...}`: what all declarations look like. */
struct Declaration {
    std::string space, type, name, values;
    int align = 0, bytes = 0; /* of all; extern: 0 */
};
Declaration declaration_of(const std::string &text);
int bytes_of_type(const std::string &type);

/* At commas, but for those in brackets; blanks go. */
Words split(const std::string &text, char at = ',');
