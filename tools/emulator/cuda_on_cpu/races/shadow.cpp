/* shadow.cpp: the cells of an array; see shadow.h. */
#include "tools/emulator/cuda_on_cpu/races/shadow.h"

#include <string.h>
#include <sys/mman.h>

#include <vector>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

/* Gives each byte of the word its own cell. */
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
            first += touch(s.words[w], {&s, from, kind, pc, 4});
            continue;
        }
        if (!(s.words[w].flags & SPLIT))
            split(s, w);
        for (size_t b = from; b < to; b++)
            first += touch(s.bytes[b], {&s, b, kind, pc, 1});
    }
    return first;
}

void emu::shadow_in_flight(Shadow &s, size_t offset, size_t bytes,
                           bool in_flight)
{
    for (size_t b = offset; b < offset + bytes; b++) {
        Cell &c = shadow_cell(s, b);
        if (in_flight)
            c.flags |= IN_FLIGHT;
        else
            c.flags &= ~(uint32_t)IN_FLIGHT;
    }
}

static void mark(Cell &c, Kind kind, uint32_t epoch)
{
    if (kind == Kind::write) {
        c = {};
        c.write_epoch = epoch;
        return;
    }
    c.read_epoch = epoch;
    c.flags &= ~(uint32_t)(MANY_READERS | OTHER_READERS | OTHER_LINES);
}

void emu::shadow_mark(Shadow &s, size_t offset, size_t bytes, Kind kind,
                      uint32_t epoch)
{
    for (size_t b = offset; b < offset + bytes; b++) {
        Cell &word = s.words[b / 4];
        bool whole = b % 4 == 0 && offset + bytes - b >= 4;
        if (whole && (kind == Kind::write || !(word.flags & SPLIT))) {
            mark(word, kind, epoch);
            b += 3;
            continue;
        }
        if (!(word.flags & SPLIT))
            split(s, b / 4);
        mark(s.bytes[b], kind, epoch);
    }
}

void emu::shadow_assume_written(Shadow &s, size_t bytes)
{
    for (size_t b = 0; b < bytes; b++) {
        Cell &c = shadow_cell(s, b);
        if (!c.write_epoch)
            c.write_epoch = by_host;
        b |= s.words[b / 4].flags & SPLIT ? 0 : 3;
    }
}

bool emu::shadow_any_written(const Shadow &s, size_t offset, size_t bytes)
{
    for (size_t b = offset; b < offset + bytes; b++) {
        if (shadow_cell(s, b).write_epoch)
            return true;
        b |= s.words[b / 4].flags & SPLIT ? 0 : 3;
    }
    return false;
}

Shadow emu::shadow_new(const void *begin, size_t bytes, const Array *array)
{
    size_t n = (bytes + 3) / 4;
    return {static_cast<Cell *>(reserve(n * sizeof(Cell) + 1)),
            static_cast<Cell *>(reserve(4 * n * sizeof(Cell) + 1)), n,
            static_cast<const char *>(begin), array};
}

void emu::shadow_free(Shadow &s)
{
    munmap(s.words, s.n_words * sizeof(Cell) + 1);
    munmap(s.bytes, 4 * s.n_words * sizeof(Cell) + 1);
    s = {};
}

static std::vector<uint32_t> rows;

/* A row has room for all agents, since agents may be added later. */
static size_t width()
{
    return emu::threads_in_block() + emu::max_agents;
}

uint32_t *emu::row(uint32_t i)
{
    return &rows[i * width()];
}

uint32_t emu::new_row()
{
    size_t n = width(), i = rows.size() / n;
    rows.resize(rows.size() + n, 0);
    return (uint32_t)i;
}

void emu::copy_readers(Cell &c)
{
    if (!(c.flags & MANY_READERS) || c.read_epoch != now.epoch)
        return;
    uint32_t copy = new_row();
    memcpy(row(copy), row(c.read_clock), width() * sizeof *row(0));
    c.read_clock = copy;
}

void emu::clear_readers()
{
    rows.clear();
}
