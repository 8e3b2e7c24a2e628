/* bulk.cpp: additions by TMA. TMA adds a box in shared memory to a tensor of
 * floats, with an atomic addition for each element. A thread commits groups of
 * its additions. It waits until TMA has read their boxes, or has added them.
 * The emulator reads a box only when the thread waits. So a store to the box
 * that is too early changes the sum. For the rules about races, a thread has
 * two agents: one reads boxes, and one adds them. Page: docs/cuda_on_cpu.md. */
#include <map>
#include <vector>

#include "tools/emulator/cuda_on_cpu/hopper/asynchronous.h"
#include "tools/emulator/cuda_on_cpu/hopper/tma_box.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"

namespace
{
using namespace emu;

struct Addition {
    Box box;
    uint32_t moment; /* clock of both agents */
    uintptr_t pc;
};

struct Adds {
    Actor reads, adds;
    std::vector<Addition> issued;
    size_t done;                /* number of additions that are executed */
    std::vector<size_t> closed; /* value of issued.size() at each commit */
};
std::map<unsigned, Adds> adds_of;

void add(const Box &box)
{
    each_piece(box, [](const char *from, char *to) {
        for (int e = 0; to && e < 4; e++)
            ((float *)to)[e] += ((const float *)from)[e];
    });
}
} // namespace

void emu::tma_add(const CUtensorMap *map, const void *from, int column, int row,
                  int matrix)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    Adds &t = adds_of[running_thread()];
    Addition a = {box_of(map, from, column, row, matrix, pc), new_moment(), pc};
    if (a.box.map.t.element != 4)
        fatal(cudaErrorIllegalAddress, "TMA", pc,
              "TMA adds floats; this map has elements of %d bytes",
              a.box.map.t.element);
    if (!t.reads) {
        t.reads = new_agent("a TMA addition");
        t.adds = new_agent("a TMA addition");
    }
    touch_box(a.box, t.reads, Kind::read, t.adds, Kind::atomic, a.moment, pc);
    t.issued.push_back(a);
    note_progress();
}

void emu::bulk_commit()
{
    Unwatched quiet;
    Adds &t = adds_of[running_thread()];
    t.closed.push_back(t.issued.size());
}

void emu::bulk_wait(unsigned may_remain, bool only_reads)
{
    Unwatched quiet;
    Adds &t = adds_of[running_thread()];
    if (t.closed.size() <= may_remain)
        return;
    size_t upto = t.closed[t.closed.size() - 1 - may_remain];
    for (; t.done < upto; t.done++)
        add(t.issued[t.done].box);
    if (upto == 0)
        return;
    learn_agent(t.reads, t.issued[upto - 1].moment);
    if (!only_reads)
        learn_agent(t.adds, t.issued[upto - 1].moment);
}

void emu::bulk_start_block()
{
    adds_of.clear();
}

void emu::bulk_end_block()
{
    for (const auto &of : adds_of)
        if (of.second.done < of.second.issued.size()) {
            report_as(of.first);
            finding("TMA", of.second.issued[of.second.done].pc,
                    "the block ends before its thread has waited until TMA has "
                    "read this box from shared memory");
        }
}
