/* module.h: the PTX of one .cu file. */
#pragma once
#include <map>

#include "07_cuda/emulator/witness/machine.h"

/* A statement, up to `;`, or a single token: a brace, `label:`, the head of a
 * kernel, a line of .loc or .file. */
struct Piece {
    std::string text;
    int line;
};

/* A declaration: `.shared .align 16 .b8 name[64] = {...}`. */
struct Declaration {
    std::string space, name, values;
    int align = 0, size = 0; /* of an element */
    int bytes = 0;           /* of all; 0: of dynamic shared memory */
    u64 address = 0;         /* of a global variable */
};
Declaration declaration_of(const std::string &text);

struct Module {
    std::string target; /* "90a" for sm_90a */
    std::vector<Piece> pieces;
    std::map<std::string, size_t> kernels;        /* the piece of its head */
    std::map<std::string, Declaration> variables; /* outside of kernels */
    std::map<std::string, std::string> files;     /* by the number in .loc */

    explicit Module(const char *ptx);
};

Kernel *compile(const Module &m, const std::string &kernel);

/* Returns the text between these characters. */
std::vector<std::string> words(const std::string &text, const char *between);
u64 literal(const std::string &text);
