/* trace.h: who asks and waits for what, in which order: a line for each, for
 * pictures. Page: docs/hopper.md. */
#pragma once
#include <string>

namespace emu
{
/* Writes "thread, what, name, number", if that is asked for, and the running
 * thread is the first of a warpgroup of the first block. */
void trace(const char *what, const std::string &name, long number);
} // namespace emu
