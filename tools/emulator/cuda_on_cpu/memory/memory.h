/* memory.h: shared and global memory of a kernel. Page: docs/cuda_on_cpu.md. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <deque>
#include <string>

#include "tools/emulator/cuda_on_cpu/include/emulated/language.h"
#include "tools/emulator/cuda_on_cpu/races/shadow.h"

namespace emu
{
/* --- shared.cpp ---------------------------------------------------------- */

/* Limits of a block's dynamic shared memory in bytes: the limit of sm_90, and
 * the limit of a launch without cudaFuncSetAttribute. */
constexpr size_t dynamic_max = 232448, dynamic_default = 49152;
size_t most_shared(); /* limit of the emulated GPU in bytes */

/* The thread-local segment. */
struct SharedRange {
    uintptr_t low; /* a multiple of 1024, since smem is aligned */
    size_t bytes;
    size_t dynamic; /* offset of smem[] */
};
extern SharedRange shared_range;
extern Shadow shared_shadow;
extern size_t dynamic_bytes; /* bytes that this launch requests */
extern const char *dynamic_name;

void shared_init();

/* Returns "tile + 12 bytes" for an offset from shared_range.low. */
std::string shared_name(size_t offset);

/* --- variables.cpp -------------------------------------------------------- */

struct Variable {
    uintptr_t begin;
    std::string name;
};

/* Returns the __shared__ variable at this offset in the thread-local segment,
 * or null. */
const Variable *shared_variable(size_t offset);

/* Returns the bytes of __shared__ variables of the function that has most, and
 * stores its name. */
size_t most_static_shared(std::string &function);

/* Returns the variable at p if it is the host's, which no kernel may access.
 * Otherwise returns null: p is in a __device__ or __constant__ variable, a
 * static variable of a function, or a constant of the compiler. */
const Variable *host_variable(const void *p);

/* Ends the launch: a kernel reads or writes the host's variable `name`. */
[[noreturn]] void host_variable_used(const char *verb, const char *name,
                                     uintptr_t pc);

/* --- heap.cpp ------------------------------------------------------------- */

/* True if a kernel has allocated these bytes by malloc or new. */
bool in_heap(const void *p, size_t bytes);

/* --- arrays.cpp ---------------------------------------------------------- */

/* cudaMalloc returns parts of the arena, one reserved range of addresses, and
 * never the same part twice. So the array of an address is known even after the
 * array was freed, or if the address is just after the array's end. */
struct Array {
    std::string name;
    size_t offset; /* from the start of the arena */
    size_t bytes;
    size_t element; /* size of an element in bytes, or 1 if it is unknown */
    bool freed;
    bool input; /* no kernel may store to it */
    Shadow shadow;
    /* bytes in the last launch */
    uint64_t loaded, stored, atomics, loaded_once;
};

constexpr size_t arena_bytes = (size_t)16 << 30;
constexpr size_t managed_begin = arena_bytes / 2;
extern char *arena; /* null until the first cudaMalloc */

/* Returns null if there is no space. */
Array *array_new(size_t bytes, bool managed);
void array_free(Array *a);

struct Range {
    size_t begin, end;
};

/* Returns the pages in the arena of all device arrays that are not freed. */
Range living_pages();

/* Returns the array at this offset. If there is none, returns the last array of
 * the same kind of memory, device or managed. */
Array *array_at(size_t offset);

/* Returns the array that contains [p, p + bytes) and is not freed, or null. */
Array *array_holding(const void *p, size_t bytes);

extern std::deque<Array> arrays; /* all arrays, also freed ones */

/* --- host_access.cpp ----------------------------------------------------- */

/* While a DeviceOpen exists, the process may access device memory. */
struct DeviceOpen {
    DeviceOpen();
    ~DeviceOpen();
};

/* Reports an access of the host to memory that a running operation may use. */
void host_access(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* --- access.cpp ---------------------------------------------------------- */

/* Checks and counts an access. pc is the return address of its hook. */
void access(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* Like access, for instructions that access only shared memory. */
void access_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* Like access_shared, but neither counts nor checks the alignment. */
void touch_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc);

/* --- banks.cpp: only with CUDA_ON_CPU=full -------------------------------- */

/* Records that the running lane accessed `address` (an offset in shared or
 * global memory) by this instruction. bytes is 1, 2, 4, 8 or 16. */
void note_request(uintptr_t pc, bool global, size_t address, size_t bytes);

/* Counts the recorded requests of a warp, when every lane waits. */
void count_requests();

void reset_requests();

/* Returns the line of the instruction with the most wavefronts, or sectors if
 * global, that contiguous addresses would not need; and their number. */
Site worst_request(bool global, uint64_t &extra);

/* Prints the source lines with more wavefronts or sectors than necessary. */
void report_requests(FILE *to);

/* --- fragments.cpp ------------------------------------------------------- */

/* A fragment is an array of a thread that wgmma uses as registers. */

void touch_fragment(uintptr_t p, size_t bytes, Kind kind, uintptr_t pc);

/* Records that wgmma number n uses this array of the thread. */
void use_fragment(unsigned thread, const void *p, size_t bytes, bool written,
                  uint64_t n, uintptr_t pc);

/* Records that the thread has waited for all wgmma with numbers below n. */
void free_fragments(unsigned thread, uint64_t n);

void fence_fragments(unsigned thread); /* wgmma_fence */
void clear_fragments();                /* when a block begins */
} // namespace emu
