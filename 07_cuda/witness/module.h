/* What a program gives to the runtime in one piece: the PTX of one .cu. */
#pragma once
#include <map>

#include "07_cuda/witness/machine.h"

/* Reads PTX piece by piece: up to a `;`, or what stands alone: a brace, `label:`,
 * the head of a kernel, a line of .loc or .file. */
class Reader
{
  public:
    int line = 1; /* where the piece ended */

    explicit Reader(const char *ptx) : at(ptx)
    {
    }
    std::string next(); /* empty: the end */

  private:
    const char *at;
    void skip(size_t n);
};

/* `.shared .align 16 .b8 name[64] = {...}`: what all declarations look like. */
struct Declaration {
    std::string space, name, values;
    int align = 1, size = 0, bytes = 0; /* size: of one; bytes: extern: 0 */
};
Declaration declaration_of(const std::string &text);

struct Variable {
    u64 address; /* 0: it is shared, outside of a kernel; no bytes: extern */
    int align, bytes;
};

struct Module {
    std::string target; /* 90a of sm_90a */
    std::map<std::string, Variable> variables;
    std::map<int, std::string> files; /* of .loc */
    struct Entry {
        std::string head;
        Reader body;
    };
    std::map<std::string, Entry> entries; /* kernels */

    explicit Module(const char *ptx);
    void declare(const Declaration &d);
};

Kernel *compile(const Module &m,
                const std::string &entry); /* null: not there */

/* At commas, but for those in brackets; blanks go. */
Words split(const std::string &text, char at = ',');
u64 literal(const std::string &text);
int bytes_of_type(const std::string &type); /* 4 of .f32; of .pred 0 */
bool begins(const std::string &text, const char *with);
