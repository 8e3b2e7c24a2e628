/* shadow.h: every word (4 bytes) of global and shared memory has a cell with
 * the actor and time of the last write and the last read. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "tools/emulator/cuda_on_cpu/races/order.h"

namespace emu
{
enum class Kind { read, write, atomic, swap /* atomicCAS */ };

inline bool is_atomic(Kind k)
{
    return k == Kind::atomic || k == Kind::swap;
}

const char *verb(Kind k); /* "reads", "writes" or "atomically updates" */

struct Cell {
    uint32_t write_epoch, write_clock, write_pc;
    uint32_t read_epoch, read_clock, read_pc;
    Actor writer, reader;
    uint32_t flags;
};

enum : uint32_t {
    SPLIT = 1,          /* each byte has its own cell: see Shadow::bytes */
    ATOMIC = 2,         /* the last write was atomic */
    IN_FLIGHT = 4,      /* a cp.async will write the word */
    MANY_READERS = 8,   /* read_clock is the index of a row of clocks */
    OTHER_READERS = 16, /* another block of this launch has read the word */
    OTHER_LINES = 32    /* not all reads of the word were at read_pc */
};

struct Array;

/* The cells of one array, or of shared memory if array is null. A word has one
 * cell until a part of it is accessed. From then on each of its four bytes has
 * a cell, so that elements of 8 or 16 bits are separate. */
struct Shadow {
    Cell *words, *bytes;
    size_t n_words;
    const char *begin; /* the bytes that the cells describe */
    const Array *array;
};

Shadow shadow_new(const void *begin, size_t bytes, const Array *array);
void shadow_free(Shadow &s);

inline Cell &shadow_cell(const Shadow &s, size_t byte)
{
    Cell &word = s.words[byte / 4];
    return word.flags & SPLIT ? s.bytes[byte] : word;
}

constexpr uint32_t by_host = 1;

/* Records that the host or a copy wrote or read these bytes. epoch is by_host
 * if the access is complete. Otherwise it is the operation's epoch. */
void shadow_mark(Shadow &s, size_t offset, size_t bytes, Kind kind,
                 uint32_t epoch);

/* Marks the elements that were never written as written by the host. The others
 * keep their last access. */
void shadow_assume_written(Shadow &s, size_t bytes);

bool shadow_any_written(const Shadow &s, size_t offset, size_t bytes);

/* Records an access and reports uninitialised reads and races. Returns the
 * number of bytes that are read for the first time in this launch. */
uint64_t shadow_touch(Shadow &s, size_t offset, size_t bytes, Kind kind,
                      uintptr_t pc);

void shadow_in_flight(Shadow &s, size_t offset, size_t bytes, bool in_flight);

/* --- One cell (races.cpp) ------------------------------------------------- */

struct Touch {
    const Shadow *shadow;
    size_t offset;
    Kind kind;
    uintptr_t pc;
    unsigned bytes;
};

/* Two unordered stores to one word are no race if the values are the same. The
 * hook of the second store runs before its value is in memory. So the hook sets
 * unsettled. settle compares the values at the next access or wait. */
extern bool unsettled;
void settle();

/* Checks and records an access to a cell. Returns the bytes that are read for
 * the first time in this launch, or 0. */
uint64_t touch(Cell &c, const Touch &t);

/* A word with MANY_READERS has a row: the clock of each actor's last read. */
uint32_t new_row();         /* returns the index of a row of zeros */
uint32_t *row(uint32_t i);  /* the pointer is valid until new_row */
void copy_readers(Cell &c); /* gives c its own copy of its row */
} // namespace emu
