/* bulk.cpp: TMA the other way: a box in shared memory is added to a tensor of
 * floats, in the background, element by element, each as an atomic addition. No
 * mbarrier counts it: a thread closes a group of what it asked for, and waits
 * for its groups: until they have been read, so that their place in shared
 * memory is free, or until they have been added. Nothing is read before a
 * thread waits: a store there that is too early changes the sum. For the rules
 * about races, the operations of a thread are two agents: one reads, one adds.
 * Page: docs/cuda_on_cpu.md. */
#include <map>
#include <vector>

#include "07_cuda/emulator/cuda_on_cpu/hopper/asynchronous.h"
#include "07_cuda/emulator/cuda_on_cpu/hopper/tma_box.h"
#include "07_cuda/emulator/cuda_on_cpu/machine.h"
#include "07_cuda/emulator/cuda_on_cpu/tell/tell.h"

namespace
{
using namespace emu;

struct Asked {
    Box box;
    uint32_t moment; /* of both agents */
    uintptr_t pc;
};

/* Of one thread. */
struct Adds {
    Actor reads, adds; /* agents */
    std::vector<Asked> asked;
    size_t done;                /* of them, the first */
    std::vector<size_t> closed; /* asked.size(), at each commit */
};
std::map<unsigned, Adds> adds_of;

void add(const Box &box)
{
    each_piece(box, [](const char *from, char *to) {
        for (int e = 0; to && e < 4; e++)
            ((float *)to)[e] += ((const float *)from)[e];
    });
}

void know(Actor agent, uint32_t moment)
{
    if (knows[now.me][agent] < moment)
        knows[now.me][agent] = moment;
}
} // namespace

void emu::tma_add(const CUtensorMap *map, const void *from, int column, int row,
                  int matrix)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    Adds &t = adds_of[running_thread()];
    Asked a = {box_of(map, from, column, row, matrix, pc), new_moment(), pc};
    if (a.box.map.t.element != 4)
        fatal(cudaErrorIllegalAddress, "TMA", pc,
              "adds floats, and this map has elements of %d bytes",
              a.box.map.t.element);
    if (!t.reads) {
        t.reads = new_agent();
        name_agent(t.reads, "a TMA addition");
        t.adds = new_agent();
        name_agent(t.adds, "a TMA addition");
    }
    touch_box(a.box, t.reads, Kind::read, t.adds, Kind::atomic, a.moment, pc);
    t.asked.push_back(a);
    note_progress();
}

void emu::bulk_commit()
{
    Unwatched quiet;
    Adds &t = adds_of[running_thread()];
    t.closed.push_back(t.asked.size());
}

void emu::bulk_wait(unsigned may_remain, bool only_reads)
{
    Unwatched quiet;
    Adds &t = adds_of[running_thread()];
    if (t.closed.size() <= may_remain)
        return;
    size_t upto = t.closed[t.closed.size() - 1 - may_remain];
    for (; t.done < upto; t.done++)
        add(t.asked[t.done].box);
    if (upto == 0)
        return;
    know(t.reads, t.asked[upto - 1].moment);
    if (!only_reads)
        know(t.adds, t.asked[upto - 1].moment);
}

void emu::bulk_start_block()
{
    adds_of.clear();
}

void emu::bulk_end_block()
{
    for (const auto &of : adds_of)
        if (of.second.done < of.second.asked.size()) {
            report_as(of.first);
            finding("TMA", of.second.asked[of.second.done].pc,
                    "the block ends, and with it its shared memory, and "
                    "there was no wait until this was read");
        }
}
