/* cell.h: what is remembered of one word of global or shared memory: who wrote
 * it and who read it last, and when. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "07_cuda/cuda_on_cpu/races/time.h"

namespace emu
{
enum class Kind { read, write, atomic };

/* ANCHOR: cell */
struct Cell {
    uint32_t write_epoch, write_clock, write_pc;
    uint32_t read_epoch, read_clock, read_pc;
    Actor writer, reader;
    uint32_t flags;
};

enum : uint32_t {
    SPLIT = 1,         /* this word was touched in part: see Shadow::bytes */
    ATOMIC = 2,        /* the last write was atomic */
    IN_FLIGHT = 4,     /* a cp.async will write here */
    MANY_READERS = 8,  /* in this epoch; read_clock is a row of clocks */
    OTHER_READERS = 16 /* another block of this launch has read it */
};
/* ANCHOR_END: cell */

struct Array;

/* The cells of one array, or of shared memory (array is null then). A word
 * has one cell until something smaller is read or written in it; from then on
 * its four bytes have one each, so that neighbours of 8 or 16 bits are told
 * apart. Only pages that are touched take memory. */
struct Shadow {
    Cell *words, *bytes;
    size_t n_words;
    const Array *array;
};
} // namespace emu
