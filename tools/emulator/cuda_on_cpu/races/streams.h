/* streams.h: the order of launches, copies and memsets on the device. The
 * emulator runs each operation immediately. On a GPU an operation may still run
 * when the host or another stream continues. So the host and every stream have
 * a clock, like the threads in order.h. A clock counts the operations of each
 * stream that are known to be complete. Page: docs/cuda_on_cpu.md. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace emu
{
typedef std::vector<uint32_t> Clock; /* complete operations, by stream */

struct Operation {  /* a launch, a copy or a memset */
    uint32_t epoch; /* its first epoch, see order.h */
    unsigned stream;
    uint32_t number; /* number in its stream, from 1 */
    std::string name;
    int line;
};

/* Creates a stream. A blocking stream and stream 0 wait for each other. */
cudaStream_t new_stream(bool blocking);

/* Begins an operation in a new epoch and returns the epoch. The operation is
 * the running one until the next call. */
uint32_t begin_operation(cudaStream_t stream, const char *name, Site at);

/* Returns this epoch's operation if it may overlap the running one, or null. */
const Operation *unordered(uint32_t epoch);

Clock stream_clock(cudaStream_t stream);

/* The stream or the host waits for all operations that the clock counts. */
void stream_waits(cudaStream_t stream, const Clock &clock);
void host_waits(const Clock &clock);
void host_waits_for_all();

bool host_has_waited(const Clock &clock);

struct Conflict {
    const Operation *with; /* null if there is none */
    bool wrote; /* the operation writes the bytes; false: it reads them */
    size_t offset;
};

/* Returns an operation that conflicts with an access to these bytes and may
 * overlap it. The access is by the host (of_host) or the running operation. */
Conflict conflict(const Shadow &s, size_t offset, size_t bytes, bool writes,
                  bool of_host);

/* True if the host has not waited for all operations. */
extern bool host_may_race;
} // namespace emu
