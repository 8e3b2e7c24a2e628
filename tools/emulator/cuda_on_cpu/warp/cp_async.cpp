/* cp_async.cpp: asynchronous copies from global to shared memory. A copy is
 * executed as late as possible: when the thread waits for its group. Until then
 * the destination is marked and contains NaNs (but with CUDA_ON_CPU=count it is
 * not). Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/include/emulated/instructions.h"

#include <vector>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/warp/collectives.h"
#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

struct Copy {
    char *to;
    const char *from;
    unsigned bytes, read; /* the bytes after the first `read` become 0 */
    uintptr_t pc;
    uint64_t group;
    uint64_t loaded; /* shared bytes that the thread loaded before the copy */
};

/* The copies that are not executed, and the number of committed groups. */
std::vector<Copy> under_way[max_threads];
uint64_t groups[max_threads];

size_t shared_offset(const char *p)
{
    return (uintptr_t)p - shared_range.low;
}

void carry_out(const Copy &c)
{
    bool checked = effort != CUDA_COUNT;
    if (checked)
        shadow_in_flight(shared_shadow, shared_offset(c.to), c.bytes, false);
    if (c.read)
        access(c.from, c.read, Kind::read, c.pc);
    access(c.to, c.bytes, Kind::write, c.pc);
    counts.loaded_meanwhile +=
        fibers[running_thread()].shared_loaded - c.loaded;
    __builtin_memcpy(c.to, c.from, c.read);
    __builtin_memset(c.to + c.read, 0, c.bytes - c.read);
}
} // namespace

void emu::cp_async(void *to, const void *from, unsigned bytes, unsigned read)
{
    uintptr_t pc = PC;
    unsigned t = running_thread();
    Unwatched quiet;
    Copy c = {static_cast<char *>(to),
              static_cast<const char *>(from),
              bytes,
              read,
              pc,
              groups[t],
              fibers[t].shared_loaded};

    if (read > bytes)
        fatal(cudaErrorIllegalAddress, "cp.async", pc,
              "reads %u bytes to copy %u", read, bytes);
    if ((uintptr_t)to % bytes || (uintptr_t)from % bytes)
        fatal(cudaErrorMisalignedAddress, "misaligned", pc,
              "cp.async of %u bytes needs both addresses to be multiples of %u",
              bytes, bytes);
    if (effort != CUDA_COUNT) {
        touch_shared(to, bytes, Kind::write, pc);
        shadow_in_flight(shared_shadow, shared_offset(c.to), bytes, true);
        __builtin_memset(to, 0xff, bytes);
    }
    under_way[t].push_back(c);
}

void emu::cp_async_commit()
{
    groups[running_thread()]++;
}

/* ANCHOR: wait */
void emu::cp_async_wait(unsigned may_remain)
{
    unsigned t = running_thread();
    std::vector<Copy> later;
    Unwatched quiet;
    for (const Copy &c : under_way[t])
        if (c.group + may_remain < groups[t])
            carry_out(c);
        else
            later.push_back(c);
    under_way[t].swap(later);
}
/* ANCHOR_END: wait */

std::string emu::copy_under_way(size_t offset, uintptr_t pc)
{
    for (unsigned t = 0; t < threads_in_block(); t++)
        for (const Copy &c : under_way[t])
            if (offset - shared_offset(c.to) < c.bytes)
                return "thread " + thread_name(t) + " started it at " +
                       line_of(short_pc(c.pc), pc) +
                       (t == running_thread()
                            ? ""
                            : ", and must wait before a barrier or start "
                              "after one");
    return "";
}

/* Copies that the last block did not wait for are dropped. */
void emu::cp_async_start_block()
{
    for (unsigned t = 0; t < max_threads; t++) {
        for (const Copy &c : under_way[t])
            if (effort != CUDA_COUNT)
                shadow_in_flight(shared_shadow, shared_offset(c.to), c.bytes,
                                 false);
        under_way[t].clear();
    }
}
