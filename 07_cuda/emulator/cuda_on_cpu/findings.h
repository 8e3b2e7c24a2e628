/* findings.h: mistakes, each reported once per line of source. */
#pragma once
#include <stdint.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"

namespace emu
{
struct Shadow;

/* Where in the kernel's source: a return address seen by a hook, or a place
 * that a call gave by itself. */
struct Place {
    uintptr_t pc;
    Site site;
    Place() : pc(0), site{"", 0}
    {
    }
    Place(uintptr_t p) : pc(p), site{"", 0}
    {
    }
    Place(Site s) : pc(0), site(s)
    {
    }
    Site resolve() const;
};

/* Prints "file:line: kind: text" and, inside a kernel, the block and thread.
 * The process will end with exit status 1. */
void finding(const char *kind, Place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A finding that the rest of the block may refute; printed when the block ends.
 * An uninitialised read of shared memory is dropped by written_too_late if a
 * thread writes the word later: then a barrier is missing, which is a race. A
 * race of the plain read at `read` is dropped if is_swap_read (races.cpp). */
void hold(const std::string &kind, uintptr_t pc, const std::string &text,
          uint32_t read = 0);
void written_too_late(uintptr_t pc);
void tell_held();
bool is_swap_read(uint32_t pc);

/* What is no mistake, and worth a line at the end. */
void note(Place place, const std::string &text);
void tell_notes();

/* "smem + 12", "K + 4096": for the messages. */
std::string describe_memory(const Shadow &s, size_t offset);

/* "(3,0,0)" */
std::string thread_name(unsigned thread);
} // namespace emu
