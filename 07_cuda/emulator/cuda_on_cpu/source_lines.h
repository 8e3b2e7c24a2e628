/* source_lines.h: finds the source line of a return address. */
#pragma once
#include <stdint.h>
#include <stdio.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"

extern "C" char __executable_start; /* from the linker */

namespace emu
{
/* Returns the line of the user's code, not that of the emulator's inline
 * wrappers. */
Site source_line(uintptr_t pc);

/* Runs a command with the program's path as its last argument. Returns its
 * output, for pclose, or null. */
FILE *run_on_program(const std::string &command);

/* Convert an address to 32 bits, for shadow cells, and back; 0 stays 0. */
inline uint32_t short_pc(uintptr_t pc)
{
    return pc ? (uint32_t)(pc - (uintptr_t)&__executable_start) : 0;
}
inline uintptr_t long_pc(uint32_t pc)
{
    return pc ? pc + (uintptr_t)&__executable_start : 0;
}

/* Returns "line 12", or "file:12" if it is not in the file of `other`. */
std::string line_of(uint32_t pc, uintptr_t other);

/* For an instruction of an inlined function: returns "\n    called at
 * my.cu:20" for up to two calls; otherwise "". */
std::string callers(uintptr_t pc);

/* True if the line is the emulator's own. */
bool is_emulators(Site at);

const char *base_name(const char *path);
} // namespace emu
