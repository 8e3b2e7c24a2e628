/* memory.h: the memories of a kernel: shared and global memory, and what is
 * checked at each load and store. Page: docs/cuda_on_cpu.md. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <deque>
#include <string>

#include "07_cuda/emulator/cuda_on_cpu/races/shadow.h"

namespace emu
{
/* --- shared.cpp ---------------------------------------------------------- */

/* sm_90's limit for one block, and what a launch gets without asking. */
constexpr size_t dynamic_max = 232448, dynamic_default = 49152;
size_t most_shared(); /* of the card that is emulated */

struct SharedRange {
    uintptr_t low;
    size_t bytes;
    size_t dynamic;    /* where in it smem[] begins */
    uintptr_t segment; /* where the thread-local segment begins */
};
extern SharedRange shared_range;
extern Shadow shared_shadow;
extern size_t dynamic_bytes; /* what this launch asked for */
extern const char *dynamic_name;

void shared_init();

/* "tile + 12 bytes": the variable at an offset from shared_range.low. */
std::string shared_name(size_t offset);

/* --- arrays.cpp ---------------------------------------------------------- */

/* Global memory. cudaMalloc returns pieces of one reserved range of addresses,
 * never the same piece twice. So every address shows which array it is in, was
 * in, or is just after. */
struct Array {
    std::string name;
    size_t offset, bytes; /* in the arena */
    size_t element;       /* of what type it was allocated; 1: unknown */
    bool freed;
    Shadow shadow;
    /* of the last launch, bytes */
    uint64_t loaded, stored, atomics, loaded_once;
};

constexpr size_t arena_bytes = (size_t)16 << 30;
constexpr size_t managed_begin = arena_bytes / 2; /* managed memory is above */
extern char *arena; /* null until the first cudaMalloc */

Array *array_new(size_t bytes, bool managed); /* null: no room */
void array_free(Array *a);

/* Offsets in the arena: the pages from the first living array of device memory
 * to the last array. */
struct Range {
    size_t begin, end;
};
Range living_pages();

/* The array at this offset of the arena, or the one before it; never null
 * once anything was allocated. */
Array *array_at(size_t offset);

/* The living array that holds [p, p + bytes), or null. */
Array *array_holding(const void *p, size_t bytes);

extern std::deque<Array> arrays; /* all, freed ones too */

/* --- host_access.cpp ----------------------------------------------------- */

/* Device memory that is not managed is inaccessible to the host, except while
 * one of these exists: in a launch and in the functions that copy. */
struct DeviceOpen {
    DeviceOpen();
    ~DeviceOpen();
};

/* The host's own code accesses memory while operations are under way: pinned or
 * managed memory that one of them uses must wait for it. */
void host_access(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* --- access.cpp ---------------------------------------------------------- */

/* pc: the return address of the instruction's hook. */
void access(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* For instructions that reach shared memory only. */
void access_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* Checks such an access and counts nothing: for a cp.async that is only
 * asked for. */
void touch_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* --- requests.cpp -------------------------------------------------------- */

/* At effort `full` the lanes of a warp are lined up. A GPU executes one load
 * for 32 lanes at once; the fibers execute it 32 times, one lane after the
 * other. The k-th time that each lane comes to an instruction, since they last
 * waited for one another, makes one request of the warp. */

/* Notes that the running lane touched `address` (an offset in shared or
 * global memory) at this instruction. bytes: 1, 2, 4, 8 or 16. */
void note_request(uintptr_t pc, bool global, size_t address, size_t bytes);

/* Every lane waits: what was noted is complete. */
void count_requests();

/* A launch begins, or was killed: nothing was noted. */
void reset_requests();

/* The lines of source that needed more than they had to. */
void report_requests(FILE *to);

/* --- fragments.cpp ------------------------------------------------------- */

/* The arrays of a thread that wgmma uses as registers. */

/* Every access to a thread's own memory comes by here. */
void touch_fragment(uintptr_t p, size_t bytes, Kind kind, uintptr_t pc);

/* The thread gives this array to wgmma number `n` of its warpgroup. */
void use_fragment(unsigned thread, const void *p, size_t bytes, bool written,
                  uint64_t n, uintptr_t pc);

/* The thread has waited for all numbers below n. */
void free_fragments(unsigned thread, uint64_t n);

void fence_fragments(unsigned thread); /* wgmma_fence */
void forget_fragments();               /* a block begins */
} // namespace emu
