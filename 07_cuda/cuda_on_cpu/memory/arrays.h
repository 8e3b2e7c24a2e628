/* arrays.h: global memory. cudaMalloc hands out pieces of one reserved range
 * of addresses, never the same piece twice, so that every address tells which
 * array it is in, was in, or lies just beyond. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <deque>
#include <string>

#include "07_cuda/cuda_on_cpu/races/shadow.h"

namespace emu
{
struct Array {
    std::string name;
    size_t offset, bytes; /* in the arena */
    bool freed;
    Shadow shadow;
    /* of the last launch, bytes */
    uint64_t loaded, stored, atomics, loaded_once;
};

constexpr size_t arena_bytes = (size_t)16 << 30;
extern char *arena; /* null until the first cudaMalloc */

Array *array_new(size_t bytes); /* null: no room */
void array_free(Array *a);

/* The array at this offset of the arena, or the one before it; never null
 * once anything was allocated. */
Array *array_at(size_t offset);

/* The living array that holds [p, p + bytes), or null. */
Array *array_holding(const void *p, size_t bytes);

extern std::deque<Array> arrays; /* all, freed ones too */
} // namespace emu
