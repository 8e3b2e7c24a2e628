/* findings.h: reports mistakes, each kind once per line of source. */
#pragma once
#include <stdint.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"

namespace emu
{
struct Shadow;

/* A place in the kernel's source: a return address, or file and line. */
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

/* Stores a finding until the block ends, since it may turn out to be wrong.
 * drop_uninitialised removes an uninitialised read of shared memory if a thread
 * writes the word later: a missing barrier, which is a race. read: the pc of a
 * race's plain read, or 0; not printed if is_swap_read(read) (races.cpp). */
void defer_finding(const std::string &kind, uintptr_t pc,
                   const std::string &text, uint32_t read = 0);
void drop_uninitialised(uintptr_t pc);
void print_deferred();
bool is_swap_read(uint32_t pc);

/* Stores a remark, not a mistake, that cuda-check prints at the end. */
void note(Place place, const std::string &text);

/* Returns "smem + 12 bytes" or "K + 4096 bytes", for messages. */
std::string describe_memory(const Shadow &s, size_t offset);

/* Returns "(3,0,0)", or "3" in a cuda-check of a block with one dimension. */
std::string thread_name(unsigned thread);
} // namespace emu
