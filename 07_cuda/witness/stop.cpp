/* stop.cpp: how the interpreter ends a program in which it found a mistake. */
#include <cstdarg>
#include <cstdio>
#include <unistd.h>

#include "07_cuda/witness/machine.h"

void stop(const char *format, ...)
{
    va_list a;

    va_start(a, format);
    std::fprintf(stderr, "ptx: ");
    std::vfprintf(stderr, format, a);
    std::fprintf(stderr, "\n");
    va_end(a);
    std::fflush(nullptr);
    _exit(1);
}

void wrong(const Warp &w, const Instruction &in, const char *format, ...)
{
    char what[400];
    const Block &b = *w.block;
    va_list a;

    va_start(a, format);
    std::vsnprintf(what, sizeof what, format, a);
    va_end(a);
    stop("%s: %s\n  in %s, block (%u, %u, %u), warp %d:\n  %s",
         in.where.c_str(), what, b.kernel->name.c_str(), b.id[0], b.id[1],
         b.id[2], w.index, in.text.c_str());
}
