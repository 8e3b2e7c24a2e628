/* shadow.h: for every word of global and shared memory, a cell with its last
 * writer and reader and their times; and the rules for one cell. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "07_cuda/emulator/cuda_on_cpu/races/order.h"

namespace emu
{
enum class Kind { read, write, atomic, swap /* atomicCAS */ };

inline bool is_atomic(Kind k)
{
    return k == Kind::atomic || k == Kind::swap;
}

struct Cell {
    uint32_t write_epoch, write_clock, write_pc;
    uint32_t read_epoch, read_clock, read_pc;
    Actor writer, reader;
    uint32_t flags;
};

enum : uint32_t {
    SPLIT = 1,          /* this word was touched in part: see Shadow::bytes */
    ATOMIC = 2,         /* the last write was atomic */
    IN_FLIGHT = 4,      /* a cp.async will write here */
    MANY_READERS = 8,   /* in this epoch; read_clock is a row of clocks */
    OTHER_READERS = 16, /* another block of this launch has read it */
    OTHER_LINES = 32    /* those readers were not all at read_pc */
};

struct Array;

/* The cells of one array, or of shared memory (array is null then). A word
 * has one cell until something smaller is read or written in it; from then on
 * its four bytes have one each, so that neighbours of 8 or 16 bits are
 * separate. Only pages that are touched take memory. */
struct Shadow {
    Cell *words, *bytes;
    size_t n_words;
    const char *begin; /* of what they are the cells of */
    const Array *array;
};

Shadow shadow_new(const void *begin, size_t bytes, const Array *array);
void shadow_free(Shadow &s);

/* The cell of one byte. */
inline Cell &shadow_cell(const Shadow &s, size_t byte)
{
    Cell &word = s.words[byte / 4];
    return word.flags & SPLIT ? s.bytes[byte] : word;
}

/* Records that the host or a copy wrote or read these bytes; by_host is
 * over. */
constexpr uint32_t by_host = 1;
void shadow_mark(Shadow &s, size_t offset, size_t bytes, Kind kind,
                 uint32_t epoch);

/* True if any of these bytes was ever written. */
bool shadow_any_written(const Shadow &s, size_t offset, size_t bytes);

/* Records an access and reports uninitialised reads and races. Returns how
 * many of the bytes are read for the first time in this launch. */
uint64_t shadow_touch(Shadow &s, size_t offset, size_t bytes, Kind kind,
                      uintptr_t pc);

/* Sets or clears IN_FLIGHT. */
void shadow_in_flight(Shadow &s, size_t offset, size_t bytes, bool in_flight);

/* --- One cell (races.cpp) ------------------------------------------------- */

/* An access to a cell; the messages need the place. */
struct Touch {
    const Shadow *shadow;
    size_t offset;
    Kind kind;
    uintptr_t pc;
    unsigned bytes;
};

/* Two stores to one word with nothing to order them are a race unless they
 * store the same value. What the second one stores is in memory only after its
 * hook: so the next access of any thread settles it, or the thread's next
 * wait. */
extern bool unsettled;
void settle();

/* Judges and remembers an access to a cell. Returns its bytes if they are read
 * for the first time in this launch, else 0. */
uint64_t touch(Cell &c, const Touch &t);

/* Rows of clocks, one an actor, for words with MANY_READERS. */
uint32_t new_row();         /* of zeros: no reads yet */
uint32_t *row(uint32_t i);  /* until the next new_row */
void copy_readers(Cell &c); /* c is a copy: gives it its own row */
} // namespace emu
