/* banks.cpp: counts bank conflicts and sectors. A GPU executes a load once for
 * 32 lanes, but the fibers execute it lane by lane. So the addresses are stored
 * until the lanes wait. Then the k-th executions by all lanes are one request.
 *
 * Shared memory has 32 banks of 4 bytes. A wavefront reads one word of each
 * bank, for any number of lanes. 8-byte accesses are served by half warps, and
 * 16-byte accesses by quarter warps (microbenchmarks of Volta, Jia et al.,
 * arXiv 1804.06826; for later GPUs NVIDIA documents this only by examples).
 * Global memory is read in sectors of 32 bytes. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

/* lane[l] has the addresses that lane l accessed since the lanes last waited
 * for each other. */
struct Instruction {
    bool global, noted;
    size_t bytes;
    std::vector<size_t> lane[32];
    uint64_t requests, needed, best; /* wavefronts, or sectors if global */
};

/* The key has pc, bytes and kind of memory: a cp.async accesses global and
 * shared memory, and the copy of a struct has pieces of several sizes. */
std::unordered_map<uintptr_t, Instruction> instructions;
std::vector<Instruction *> noted;

/* The last instruction and its key. unordered_map never moves its elements. */
uintptr_t last_key;
Instruction *last;

/* Sorts v, moves its distinct values to the front, and returns their number. */
size_t distinct(std::vector<size_t> &v)
{
    std::sort(v.begin(), v.end());
    return (size_t)(std::unique(v.begin(), v.end()) - v.begin());
}

/* Returns the largest number of different words in one bank. */
uint64_t wavefronts(const Instruction &i, size_t k, int from, int to)
{
    std::vector<size_t> words;
    unsigned in_bank[32] = {0}, most = 0;
    for (int l = from; l < to; l++)
        if (k < i.lane[l].size())
            for (size_t b = 0; b < i.bytes; b += 4)
                words.push_back((i.lane[l][k] + b) / 4);
    words.resize(distinct(words));
    for (size_t w : words)
        most = std::max(most, ++in_bank[w % 32]);
    return most;
}

void count_shared(Instruction &i, size_t k)
{
    int together = i.bytes <= 4 ? 32 : i.bytes == 8 ? 16 : 8;
    for (int l = 0; l < 32; l += together) {
        uint64_t needed = wavefronts(i, k, l, l + together);
        i.needed += needed;
        i.best += needed != 0;
        counts.shared_wavefronts += needed;
        counts.shared_wavefronts_best += needed != 0;
    }
}

void count_global(Instruction &i, size_t k)
{
    std::vector<size_t> sectors, starts;
    for (auto &lane : i.lane)
        if (k < lane.size()) {
            starts.push_back(lane[k]);
            sectors.push_back(lane[k] / 32);
            sectors.push_back((lane[k] + i.bytes - 1) / 32);
        }
    uint64_t needed = distinct(sectors);
    uint64_t best = (distinct(starts) * i.bytes + 31) / 32;
    best = std::min(best, needed);
    i.needed += needed;
    i.best += best;
    counts.global_sectors += needed;
    counts.global_sectors_best += best;
}
} // namespace

void emu::note_request(uintptr_t pc, bool global, size_t address, size_t bytes)
{
    uintptr_t key = 64 * pc + 2 * bytes + global;
    if (key != last_key) {
        last = &instructions[key];
        last_key = key;
    }
    if (!last->noted) {
        last->noted = true;
        last->global = global;
        last->bytes = bytes;
        noted.push_back(last);
    }
    last->lane[running_thread() % 32].push_back(address);
}

void emu::count_requests()
{
    for (Instruction *i : noted) {
        size_t n = 0;
        for (auto &lane : i->lane)
            n = std::max(n, lane.size());
        for (size_t k = 0; k < n; k++) {
            i->requests++;
            if (i->global)
                count_global(*i, k);
            else
                count_shared(*i, k);
        }
        for (auto &lane : i->lane)
            lane.clear();
        i->noted = false;
    }
    noted.clear();
}

void emu::reset_requests()
{
    instructions.clear();
    noted.clear();
    last_key = 0;
}

emu::Site emu::worst_request(bool global, uint64_t &extra)
{
    uintptr_t worst = 0;
    extra = 0;
    for (auto &entry : instructions) {
        const Instruction &i = entry.second;
        if (i.global == global && i.needed - i.best > extra) {
            extra = i.needed - i.best;
            worst = entry.first / 64;
        }
    }
    return extra ? source_line(worst) : Site{};
}

void emu::report_requests(FILE *to)
{
    struct Sum {
        uint64_t requests, needed, best;
    };
    std::map<std::string, Sum> lines;
    for (auto &entry : instructions) {
        const Instruction &i = entry.second;
        Site s = source_line(entry.first / 64);
        char name[120];
        snprintf(name, sizeof name, "%s:%-4d %s", base_name(s.file), s.line,
                 i.global ? "global" : "shared");
        Sum &sum = lines[name];
        sum.requests += i.requests;
        sum.needed += i.needed;
        sum.best += i.best;
    }
    for (auto &entry : lines) {
        const Sum &s = entry.second;
        if (s.needed == s.best)
            continue;
        bool global = entry.first.find("global") != std::string::npos;
        fprintf(to, "    %-28s %6.2f %s per request, %.2f at best\n",
                entry.first.c_str(), (double)s.needed / (double)s.requests,
                global ? "sectors" : "wavefronts",
                (double)s.best / (double)s.requests);
    }
}
