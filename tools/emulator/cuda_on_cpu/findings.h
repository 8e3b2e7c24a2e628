/* findings.h: reports mistakes. Each kind is reported once per source line. */
#pragma once
#include <stdint.h>

#include <string>

#include "tools/emulator/cuda_on_cpu/include/emulated/language.h"

namespace emu
{
struct Shadow;

/* A place in the user's source: a return address, or file and line. */
struct Place {
    uintptr_t pc = 0;
    Site site = {"", 0};
    Place() = default;
    Place(uintptr_t p) : pc(p)
    {
    }
    Place(Site s) : site(s)
    {
    }
    Site resolve() const;
};

/* Stores and prints "file:line: kind: text", in a kernel also the thread. */
void finding(const char *kind, Place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Stores a finding until the block ends: a later access may refute the finding.
 * `read` is the pc of a plain read that races with an atomic, or 0. */
void defer_finding(const std::string &kind, uintptr_t pc,
                   const std::string &text, uint32_t read = 0);

/* Removes the stored uninitialised reads at this line. Call it if another
 * thread has written the word later: a race is then reported instead. */
void drop_uninitialised(uintptr_t pc);

/* Reports the stored findings, except those with is_swap_read(read). */
void print_deferred();

/* True if the read at pc belongs to an atomicCAS loop (races.cpp). */
bool is_swap_read(uint32_t pc);

/* Stores a remark that cuda-check prints at the end. It is not a mistake. */
void note(Place place, const std::string &text);

/* Returns the name of a byte, for messages: "smem + 12 bytes". */
std::string describe_memory(const Shadow &s, size_t offset);

/* Returns "(3,0,0)". With cuda-check and one dimension, returns "3". */
std::string thread_name(unsigned thread);
} // namespace emu
