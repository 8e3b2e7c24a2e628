/* tma.cpp: tensor maps, and copies by TMA. The destination has NaNs until the
 * copy is executed. The bytes of the copy are then subtracted from those that
 * the mbarrier expects. Elements outside of the tensor become zeros. For races,
 * the copies of one mbarrier are one agent. Page: docs/hopper.md. */
#include <string.h>

#include <deque>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/hopper/asynchronous.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/hopper/tma_box.h"

namespace
{
using namespace emu;

constexpr uint32_t valid = 0x7a3170; /* value of Map::magic */

struct Copy {
    Box box;
    Mbarrier *barrier;
    unsigned thread;
    uintptr_t pc;
};
std::deque<Copy> under_way;

void land(size_t i)
{
    Copy c = under_way[i];
    under_way.erase(under_way.begin() + (long)i);
    each_piece(c.box, [](char *to, const char *from) {
        from ? memcpy(to, from, 16) : memset(to, 0, 16);
    });
    c.barrier->bytes -= c.box.map.t.box_rows * c.box.map.row_bytes();
    c.barrier->copies--;
    report_as(c.thread);
    complete_phase(*c.barrier, c.pc);
}
} // namespace

cudaError_t emu::tensor_map(CUtensorMap *map, const Tensor &t, Site at)
{
    Map m = {valid, t};
    size_t bytes = (size_t)t.element * (size_t)t.columns * (size_t)t.rows *
                   (size_t)t.matrices;
    int every = 16 / t.element; /* number of columns in 16 bytes */
    if (t.columns < 1 || t.columns % every || t.seen < 1 || t.seen > t.rows ||
        t.matrices < 1 || t.box_rows < 1 || t.box_rows > 256 ||
        (uintptr_t)t.base % 16) {
        finding("TMA", at,
                "a tensor map of %d matrices of %d rows (%d used) and %d "
                "columns, %zu bytes above a multiple of 16, with boxes of %d "
                "rows (allowed: 1 to all rows used, a multiple of %d columns, "
                "an address that is a multiple of 16, boxes of 1 to 256 rows)",
                t.matrices, t.rows, t.seen, t.columns,
                (size_t)((uintptr_t)t.base % 16), t.box_rows, every);
        return cudaErrorInvalidValue;
    }
    if (m.row_bytes() != 64 && m.row_bytes() != 128) {
        finding("TMA", at,
                "boxes with rows of %d bytes (64 and 128 are supported)",
                m.row_bytes());
        return cudaErrorInvalidValue;
    }
    if (!array_holding(t.base, bytes)) {
        finding("TMA", at, "a tensor map of %zu bytes: no array contains them",
                bytes);
        return cudaErrorInvalidValue;
    }
    memset(map, 0, sizeof *map);
    memcpy(map, &m, sizeof m);
    return cudaSuccess;
}

Box emu::box_of(const CUtensorMap *map, const void *shared, int column, int row,
                int matrix, uintptr_t pc)
{
    Box box = {{}, (char *)shared, column, row, matrix};
    memcpy(&box.map, map, sizeof box.map);
    if (box.map.magic != valid)
        fatal(cudaErrorIllegalAddress, "TMA", pc,
              "the argument is not a tensor map");
    if ((uintptr_t)shared % 1024)
        fatal(cudaErrorMisalignedAddress, "TMA", pc,
              "a box with a swizzle must begin at a multiple of 1024 bytes; "
              "this address is %zu bytes above one",
              (size_t)((uintptr_t)shared % 1024));
    return box;
}

void emu::touch_box(const Box &box, Actor in_shared, Kind shared,
                    Actor in_global, Kind global, uint32_t moment, uintptr_t pc)
{
    unsigned me = running_thread();
    uint64_t pieces = 0;
    {
        ActingAs agent(in_global, moment, me, 1);
        each_piece(box, [&](const char *, const char *at) {
            if (at) {
                access(at, 16, global, pc);
                pieces++;
            }
        });
    }
    ActingAs agent(in_shared, moment, me, 1);
    each_piece(box, [&](const char *at, const char *) {
        if (effort != CUDA_COUNT)
            touch_shared(at, 16, shared, pc);
    });
    counts.tma++;
    if (effort == CUDA_FULL) { /* exact for rows of whole sectors */
        counts.global_sectors += pieces / 2;
        counts.global_sectors_best += pieces / 2;
    }
}

void emu::tma_load(void *to, const CUtensorMap *map, void *barrier, int column,
                   int row, int matrix)
{
    uintptr_t pc = PC;
    Unwatched quiet;
    Mbarrier &b = mbarrier_at(barrier, pc);
    Copy c = {box_of(map, to, column, row, matrix, pc), &b, running_thread(),
              pc};
    if (!b.fenced)
        finding("mbarrier", pc,
                "no fence_mbarrier_init after the mbarrier_init of %s: TMA "
                "may read the old value",
                b.name.c_str());
    if (!b.agent)
        b.agent = new_agent("a TMA load for " + b.name);
    touch_box(c.box, b.agent, Kind::write, b.agent, Kind::read, b.moment, pc);
    each_piece(c.box, [](char *p, const char *) { memset(p, 0xff, 16); });
    b.copies++;
    under_way.push_back(c);
    note_progress();
}

bool emu::land_a_copy()
{
    if (under_way.empty())
        return false;
    land(random_below((unsigned)under_way.size()));
    return true;
}

void emu::tma_start_block()
{
    under_way.clear();
}

void emu::tma_end_block()
{
    for (const Copy &c : under_way) {
        report_as(c.thread);
        finding("TMA", c.pc, "the block ends before this copy is complete");
    }
}
