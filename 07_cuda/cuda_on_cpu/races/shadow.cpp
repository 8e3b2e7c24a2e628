/* shadow.cpp: the cells of an array: one for each word of four bytes, or one
 * for each byte where smaller things were touched; see shadow.h. */
#include "07_cuda/cuda_on_cpu/races/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "07_cuda/cuda_on_cpu/races/races.h"
#include "07_cuda/cuda_on_cpu/races/readers.h"

namespace
{
using namespace emu;

/* Gives each byte of the word a cell of its own. */
void split(Shadow &s, size_t w)
{
    Cell &word = s.words[w];
    for (size_t b = 0; b < 4; b++) {
        Cell &byte = s.bytes[4 * w + b];
        byte = word;
        copy_readers(byte);
    }
    word.flags |= SPLIT;
}
} // namespace

uint64_t emu::shadow_touch(Shadow &s, size_t offset, size_t bytes, Kind kind,
                           uintptr_t pc)
{
    uint64_t first = 0;
    size_t end = offset + bytes;
    for (size_t w = offset / 4; 4 * w < end; w++) {
        size_t from = offset > 4 * w ? offset : 4 * w;
        size_t to = end < 4 * w + 4 ? end : 4 * w + 4;
        if (to - from == 4 && !(s.words[w].flags & SPLIT)) {
            first += touch(s.words[w], 4, {&s, from, kind, pc});
            continue;
        }
        if (!(s.words[w].flags & SPLIT))
            split(s, w);
        for (size_t b = from; b < to; b++)
            first += touch(s.bytes[b], 1, {&s, b, kind, pc});
    }
    return first;
}

void emu::shadow_in_flight(Shadow &s, size_t offset, size_t bytes,
                           bool in_flight)
{
    for (size_t b = offset; b < offset + bytes; b++) {
        Cell &c = s.words[b / 4].flags & SPLIT ? s.bytes[b] : s.words[b / 4];
        if (in_flight)
            c.flags |= IN_FLIGHT;
        else
            c.flags &= ~(uint32_t)IN_FLIGHT;
    }
}

void emu::shadow_host_wrote(Shadow &s, size_t offset, size_t bytes)
{
    Cell by_host = {};
    by_host.write_epoch = 1;
    for (size_t b = offset; b < offset + bytes; b++) {
        size_t w = b / 4;
        if (b % 4 == 0 && offset + bytes - b >= 4) {
            s.words[w] = by_host;
            b += 3;
            continue;
        }
        if (!(s.words[w].flags & SPLIT))
            split(s, w);
        s.bytes[b] = by_host;
    }
}

void *emu::reserve(size_t bytes)
{
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        fprintf(stderr, "cuda_on_cpu: no address space for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

Shadow emu::shadow_new(size_t bytes, const Array *array)
{
    size_t n = (bytes + 3) / 4;
    return {static_cast<Cell *>(reserve(n * sizeof(Cell) + 1)),
            static_cast<Cell *>(reserve(4 * n * sizeof(Cell) + 1)), n, array};
}

void emu::shadow_free(Shadow &s)
{
    munmap(s.words, s.n_words * sizeof(Cell) + 1);
    munmap(s.bytes, 4 * s.n_words * sizeof(Cell) + 1);
    s = {};
}
