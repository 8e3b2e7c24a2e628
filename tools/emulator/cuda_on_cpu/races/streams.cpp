/* streams.cpp: see streams.h. */
#include "tools/emulator/cuda_on_cpu/races/streams.h"

#include <algorithm>
#include <deque>

#include "tools/emulator/cuda_on_cpu/races/shadow.h"

namespace
{
using namespace emu;

struct Stream {
    bool blocking;
    Clock known;
};
/* The first two are stream 0 and cudaStreamPerThread. */
std::deque<Stream> streams = {{true, {}}, {true, {}}};
Clock host;
std::deque<Operation> operations; /* the host has not waited for the first */
const Clock *running = &host;     /* clock of the running operation's stream */

unsigned number_of(cudaStream_t stream)
{
    for (unsigned i = 1; i < streams.size(); i++)
        if (stream == &streams[i])
            return i;
    return stream == cudaStreamPerThread;
}

void merge(Clock &mine, const Clock &other)
{
    mine.resize(std::max(mine.size(), other.size()));
    for (size_t i = 0; i < other.size(); i++)
        mine[i] = std::max(mine[i], other[i]);
}

bool is_known(const Clock &clock, const Operation &o)
{
    return o.stream < clock.size() && clock[o.stream] >= o.number;
}

/* Returns the clock of stream i after the waits that CUDA implies. Stream 0
 * waits for the other blocking streams, and they wait for stream 0. */
Clock &synchronised(unsigned i)
{
    Clock &mine = streams[i].known;
    if (i == 0)
        for (const Stream &other : streams) {
            if (other.blocking)
                merge(mine, other.known);
        }
    else if (streams[i].blocking)
        merge(mine, streams[0].known);
    return mine;
}

/* Returns this epoch's operation, or null if it is complete by this clock. */
const Operation *unknown_to(const Clock &clock, uint32_t epoch)
{
    auto next = std::upper_bound(
        operations.begin(), operations.end(), epoch,
        [](uint32_t e, const Operation &o) { return e < o.epoch; });
    if (next == operations.begin() || is_known(clock, next[-1]))
        return nullptr;
    return &next[-1];
}
} // namespace

bool emu::host_may_race;

cudaStream_t emu::new_stream(bool blocking)
{
    streams.push_back({blocking, {}});
    return &streams.back();
}

uint32_t emu::begin_operation(cudaStream_t stream, const char *name, Site at)
{
    unsigned i = number_of(stream);
    merge(streams[i].known, host);
    Clock &mine = synchronised(i);
    mine.resize(std::max<size_t>(mine.size(), i + 1));
    operations.push_back({++now.epoch, i, ++mine[i], name, at.line});
    running = &mine;
    host_may_race = true;
    return now.epoch;
}

const Operation *emu::unordered(uint32_t epoch)
{
    return streams.size() == 2 ? nullptr : unknown_to(*running, epoch);
}

Clock emu::stream_clock(cudaStream_t stream)
{
    return synchronised(number_of(stream));
}

void emu::stream_waits(cudaStream_t stream, const Clock &clock)
{
    merge(streams[number_of(stream)].known, clock);
}

void emu::host_waits(const Clock &clock)
{
    merge(host, clock);
    while (!operations.empty() && is_known(host, operations.front()))
        operations.pop_front();
    host_may_race = !operations.empty();
}

void emu::host_waits_for_all()
{
    for (const Stream &s : streams)
        host_waits(s.known);
}

bool emu::host_has_waited(const Clock &clock)
{
    for (size_t i = 0; i < clock.size(); i++)
        if (clock[i] > (i < host.size() ? host[i] : 0))
            return false;
    return true;
}

emu::Conflict emu::conflict(const Shadow &s, size_t offset, size_t bytes,
                            bool writes, bool of_host)
{
    const Clock &clock = of_host ? host : *running;
    for (size_t b = offset; b < offset + bytes; b++) {
        const Cell &c = shadow_cell(s, b);
        if (const Operation *o = unknown_to(clock, c.write_epoch))
            return {o, true, b};
        if (const Operation *o = unknown_to(clock, writes ? c.read_epoch : 0))
            return {o, false, b};
        b |= s.words[b / 4].flags & SPLIT ? 0 : 3;
    }
    return {nullptr, false, 0};
}
