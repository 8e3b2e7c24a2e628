/* banks.cpp: bank conflicts and coalescing.
 *
 * Shared memory has 32 banks of 4 bytes. A wavefront reads one word of each
 * bank, for any number of lanes. 8-byte accesses are served by half warps,
 * 16-byte accesses by quarter warps (microbenchmarks of Volta, Jia et al.,
 * arXiv 1804.06826; for later GPUs NVIDIA documents this only by examples).
 * Global memory is read in sectors of 32 bytes. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/emulator/cuda_on_cpu/memory/banks.h"

#include <algorithm>

#include "07_cuda/emulator/cuda_on_cpu/counts.h"

namespace
{
using emu::Instruction;

/* Sorts v, moves duplicates to the end, and returns the number of others. */
size_t distinct(std::vector<size_t> &v)
{
    std::sort(v.begin(), v.end());
    return (size_t)(std::unique(v.begin(), v.end()) - v.begin());
}

/* Returns the largest number of different words in one bank that lanes from to
 * to - 1 access. */
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

} // namespace

void emu::count_shared(Instruction &i, size_t k)
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

void emu::count_global(Instruction &i, size_t k)
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
