/* requests.h: lines up the lanes of a warp, at effort `full`. A GPU executes
 * one load for 32 lanes at once; the fibers execute it 32 times, one lane
 * after the other. The k-th time that each lane comes to an instruction,
 * since they last waited for one another, makes one request of the warp. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

namespace emu
{
/* Notes that the running lane touched `address` (an offset in shared or
 * global memory) at this instruction. bytes: 1, 2, 4, 8 or 16. */
void note_request(uintptr_t pc, bool global, size_t address, size_t bytes);

/* Every lane waits: what was noted is complete. */
void count_requests();

/* A launch begins, or was killed: nothing was noted. */
void reset_requests();

/* The lines of source that needed more than they had to. */
void report_requests(FILE *to);
} // namespace emu
