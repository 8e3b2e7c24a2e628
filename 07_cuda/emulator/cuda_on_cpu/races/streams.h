/* streams.h: the order of a program's launches and copies on the device. Here
 * each runs at once, in the program's order. On a GPU it may still be running
 * when the host or another stream goes on. So the host and every stream have a
 * clock, as threads have in order.h: how many operations of each stream are
 * known to be over. cudaStreamSynchronize, events and the default stream's
 * rules advance it. Page: docs/cuda_on_cpu.md. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "07_cuda/emulator/cuda_on_cpu/machine.h"

namespace emu
{
typedef std::vector<uint32_t> Clock; /* per stream, operations that are over */

struct Operation {  /* a launch, a copy or a memset */
    uint32_t epoch; /* when it began, see order.h */
    unsigned stream;
    uint32_t number; /* in its stream */
    std::string name;
    int line;
};

cudaStream_t new_stream(bool blocking); /* blocking: ordered with stream 0 */

/* An operation begins in a new epoch, which is returned. From now on
 * `unordered` means what is known to it. */
uint32_t begin_operation(cudaStream_t stream, const char *name, Site at);

/* The operation of this epoch, if the running operation may overlap it; or
 * null. */
const Operation *unordered(uint32_t epoch);

/* The clock of what has been given to a stream so far; what a stream or the
 * host waits for. */
Clock stream_clock(cudaStream_t stream);
void stream_waits(cudaStream_t stream, const Clock &clock);
void host_waits(const Clock &clock);
void host_waits_for_all();
bool host_knows(const Clock &clock);

/* The first operation that the running copy, or the host, must wait for before
 * it accesses these bytes of a shadow; wrote: the operation writes them. */
struct Shadow;
struct Conflict {
    const Operation *with; /* null: none */
    bool wrote;
    size_t offset;
};
Conflict conflict(const Shadow &s, size_t offset, size_t bytes, bool writes,
                  bool of_host);

extern bool host_may_race; /* operations are under way */
} // namespace emu
