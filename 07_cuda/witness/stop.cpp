/* stop.cpp: how the interpreter ends a program in which it found a mistake. */
#include <cstdarg>
#include <cstdio>
#include <unistd.h>

#include "07_cuda/witness/machine.h"

static std::string formatted(const char *format, va_list a)
{
    char text[2000];

    std::vsnprintf(text, sizeof text, format, a);
    return text;
}

void stop(const char *format, ...)
{
    va_list a;

    va_start(a, format);
    std::fprintf(stderr, "ptx: %s\n", formatted(format, a).c_str());
    std::fflush(nullptr);
    _exit(1);
}

void wrong(const Warp &w, const Instruction &in, const char *format, ...)
{
    const Block &b = *w.block;
    va_list a;

    va_start(a, format);
    stop("%s: %s\n  in %s, block (%u, %u, %u), warp %d:\n  %s",
         in.where.c_str(), formatted(format, a).c_str(), b.kernel->name.c_str(),
         b.id[0], b.id[1], b.id[2], w.index, in.text.c_str());
}
