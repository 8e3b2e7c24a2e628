/* shadow.cpp: uninitialised reads and races, found by what each word's cell
 * remembers. The rule is FastTrack's (Flanagan and Freund, PLDI 2009): the
 * last write, and one reader; a whole row of readers only for words that
 * several threads read with nothing to order them.
 * Page: docs/cuda_on_cpu.md. */
#include "shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <vector>

#include "findings.h"
#include "scheduler.h"
#include "source_lines.h"

namespace
{
using namespace emu;

/* What is being done to a cell, for the messages. */
struct Touch {
    const Shadow *shadow;
    size_t offset;
    Kind kind;
    uintptr_t pc;
};

/* Rows of clocks, one a thread, for words with MANY_READERS. A barrier ends
 * every read before it, so the rows never outlive an epoch. */
std::vector<uint32_t> rows;

uint32_t *row(uint32_t i)
{
    return &rows[(size_t)i * threads_in_block()];
}

uint32_t new_row(const uint32_t *like)
{
    size_t n = threads_in_block(), i = rows.size() / n;
    rows.resize(rows.size() + n, 0);
    if (like)
        memcpy(row((uint32_t)i), like, n * sizeof *like);
    return (uint32_t)i;
}

const char *verb(Kind k)
{
    return k == Kind::read    ? "reads"
           : k == Kind::write ? "writes"
                              : "atomically updates";
}

/* `other` is a thread of this block, or -1: some thread of another block. */
void race(const Touch &t, const char *did, int other, uint32_t pc)
{
    std::string what = describe_memory(*t.shadow, t.offset);
    std::string where = pc ? " at " + line_of(pc, t.pc) : "";
    if (other < 0)
        finding("race", t.pc, "%s %s, which another block %s%s", verb(t.kind),
                what.c_str(), did, where.c_str());
    else
        finding("race", t.pc, "%s %s, which thread %s %s%s: no barrier between",
                verb(t.kind), what.c_str(),
                thread_name((unsigned)other).c_str(), did, where.c_str());
}

void check_against_write(const Cell &c, const Touch &t)
{
    if (t.kind == Kind::atomic && (c.flags & ATOMIC))
        return;
    if (c.write_epoch >= now.block_epoch) {
        if (!is_over(c.writer, c.write_epoch, c.write_clock))
            race(t, "wrote", c.writer, c.write_pc);
    } else if (t.shadow->array && c.write_epoch >= now.launch_epoch)
        race(t, "wrote", -1, c.write_pc);
}

/* Only reads of this epoch can still matter within the block. */
void check_against_reads(const Cell &c, const Touch &t)
{
    if (c.read_epoch < now.launch_epoch)
        return;
    bool other_block = c.read_epoch < now.block_epoch;
    if (t.shadow->array && (other_block || (c.flags & OTHER_READERS)))
        race(t, "read", -1, other_block ? c.read_pc : 0);
    if (c.read_epoch != now.epoch)
        return;
    if (!(c.flags & MANY_READERS)) {
        if (!i_know(c.reader, c.read_clock))
            race(t, "read", c.reader, c.read_pc);
        return;
    }
    const uint32_t *readers = row(c.read_clock);
    for (unsigned i = 0; i < threads_in_block(); i++)
        if (!i_know((Actor)i, readers[i])) {
            race(t, "read", (int)i, c.read_pc);
            return;
        }
}

void remember_read(Cell &c, const Touch &t)
{
    if (c.read_epoch < now.launch_epoch)
        c.flags &= ~(uint32_t)OTHER_READERS;
    else if (c.read_epoch < now.block_epoch)
        c.flags |= OTHER_READERS;

    if (c.read_epoch != now.epoch)
        c.flags &= ~(uint32_t)MANY_READERS;
    else if (!(c.flags & MANY_READERS) && !i_know(c.reader, c.read_clock)) {
        uint32_t r = new_row(nullptr);
        row(r)[c.reader] = c.read_clock;
        c.read_clock = r;
        c.flags |= MANY_READERS;
    }
    if (c.flags & MANY_READERS)
        row(c.read_clock)[now.me] = my_clock();
    else
        c.read_clock = my_clock();
    c.reader = now.me;
    c.read_epoch = now.epoch;
    c.read_pc = short_pc(t.pc);
}

void remember_write(Cell &c, const Touch &t)
{
    c.write_epoch = now.epoch;
    c.write_clock = my_clock();
    c.writer = now.me;
    c.write_pc = short_pc(t.pc);
    c.flags &= ~(uint32_t)ATOMIC;
    if (t.kind == Kind::atomic)
        c.flags |= ATOMIC;
}

/* ANCHOR: touch */
/* Returns `bytes` if this is the launch's first read of the cell. */
uint64_t touch(Cell &c, unsigned bytes, const Touch &t)
{
    bool first = t.kind == Kind::read && c.read_epoch < now.launch_epoch;
    uint32_t written = t.shadow->array ? 1 : now.block_epoch;

    if (t.kind != Kind::write && c.write_epoch < written)
        finding("uninitialised", t.pc, "reads %s, which nobody has written",
                describe_memory(*t.shadow, t.offset).c_str());
    if (c.flags & IN_FLIGHT)
        finding("cp.async", t.pc, "%s %s, whose copy nobody has waited for",
                verb(t.kind), describe_memory(*t.shadow, t.offset).c_str());
    check_against_write(c, t);
    if (t.kind != Kind::read)
        check_against_reads(c, t);

    if (t.kind == Kind::read)
        remember_read(c, t);
    else
        remember_write(c, t);
    return first ? bytes : 0;
}
/* ANCHOR_END: touch */

/* Gives each byte of the word a cell of its own. */
void split(Shadow &s, size_t w)
{
    Cell &word = s.words[w];
    for (size_t b = 0; b < 4; b++) {
        Cell &byte = s.bytes[4 * w + b];
        byte = word;
        if ((word.flags & MANY_READERS) && word.read_epoch == now.epoch) {
            std::vector<uint32_t> copy(row(word.read_clock),
                                       row(word.read_clock) +
                                           threads_in_block());
            byte.read_clock = new_row(copy.data());
        }
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

void emu::forget_readers()
{
    rows.clear();
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
