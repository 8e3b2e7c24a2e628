/* module.h: class Module, the PTX of one .cu file. */
#pragma once
#include <map>

#include "tools/emulator/ptx_interpreter/machine.h"

/* A piece of PTX: a statement up to `;`, a brace, `label:`, the head of a
 * kernel, or a line such as .loc or .file. */
struct Piece {
    std::string text;
    int line;
};

/* The declaration of a variable: `.shared .align 16 .b8 name[64] = {...}`. */
struct Declaration {
    std::string space, name, values;
    int align = 0;   /* in bytes */
    int size = 0;    /* bytes of an element */
    int bytes = 0;   /* bytes of all elements; 0: dynamic shared memory */
    u64 address = 0; /* of a variable in .global or .const */
};
Declaration declaration_of(const std::string &text);

struct Module {
    std::string target; /* "90a" for sm_90a */
    std::vector<Piece> pieces;
    std::map<std::string, size_t> kernels; /* index of the head in pieces */
    std::map<std::string, Declaration> variables; /* declared outside kernels */
    std::map<std::string, std::string> files;     /* by the number in .loc */

    explicit Module(const char *ptx);
};

Kernel *compile(const Module &m, const std::string &kernel);

/* Splits text at any of the characters in `between`. */
std::vector<std::string> words(const std::string &text, const char *between);
u64 literal(const std::string &text);
