/* source_lines.h: finds the source line of a return address. */
#pragma once
#include <stdint.h>
#include <stdio.h>

#include <string>

#include "tools/emulator/cuda_on_cpu/include/emulated/language.h"

extern "C" char __executable_start, _end; /* defined by the linker */

namespace emu
{
/* True for an address of the program's code or variables, not of a library. */
inline bool in_program(uintptr_t p)
{
    uintptr_t begin = (uintptr_t)&__executable_start;
    return p - begin < (uintptr_t)&_end - begin;
}

/* Returns the address in the program's file. A PIE is loaded at a random address,
 * but in its file the addresses begin at 0. */
uintptr_t as_linked(uintptr_t at);

/* Returns the line of the call that returns to pc, in the user's code. */
Site source_line(uintptr_t pc);

/* Runs a shell command with the program's path as its last argument. */
FILE *run_on_program(const std::string &command);

/* These convert an address to 32 bits, for cells (shadow.h), and back. */
inline uint32_t short_pc(uintptr_t pc)
{
    return pc ? (uint32_t)(pc - (uintptr_t)&__executable_start) : 0;
}
inline uintptr_t long_pc(uint32_t pc)
{
    return pc ? pc + (uintptr_t)&__executable_start : 0;
}

/* Returns "line 12" for pc, or "file:12" if `other` is in another file. */
std::string line_of(uint32_t pc, uintptr_t other);

/* If pc is in an inlined function, returns "\n called at my.cu:20" for up to
 * two callers. Otherwise returns "". Call source_line(pc) first. */
std::string callers(uintptr_t pc);

/* True if the file is part of the emulator or of C++'s library, and so not of
 * the user's program. */
bool is_emulators(const std::string &file);

const char *base_name(const char *path);
} // namespace emu
