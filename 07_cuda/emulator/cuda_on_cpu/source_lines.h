/* source_lines.h: from a return address to a line of the kernel's source. */
#pragma once
#include <stdint.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"

extern "C" char __executable_start; /* from the linker */

namespace emu
{
/* Returns the line; skips the emulator's own inline wrappers. */
Site source_line(uintptr_t pc);

/* An address in 32 bits, for shadow cells; 0 stays 0. */
inline uint32_t short_pc(uintptr_t pc)
{
    return pc ? (uint32_t)(pc - (uintptr_t)&__executable_start) : 0;
}
inline uintptr_t long_pc(uint32_t pc)
{
    return pc ? pc + (uintptr_t)&__executable_start : 0;
}

/* "line 12", or "file:12" if it is not in the file of `other`. */
std::string line_of(uint32_t pc, uintptr_t other);

/* Where the function was called that the instruction was inlined from, as
 * "\n    called at my.cu:20", or "". */
std::string callers(uintptr_t pc);

/* True if the line is the emulator's own. */
bool is_emulators(Site at);

const char *base_name(const char *path);
} // namespace emu
