/* releases.cpp: order between blocks by __threadfence() and atomics. A fence
 * stores which accesses are complete for its thread. A later atomic of the
 * thread publishes them at the address of the atomic (release). After another
 * thread has executed an atomic at that address, they are complete for that
 * thread, too (acquire). Blocks run one after the other, so all releases of
 * other blocks precede this block. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/races/order.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

/* The complete accesses of a block: all accesses before `epoch`, and in `epoch`
 * the accesses of actor a up to clock row[a]. */
struct Release {
    uint32_t epoch;
    std::vector<uint32_t> row;

    bool covers(Actor who, uint32_t at, uint32_t clock) const
    {
        return at < epoch || (at == epoch && row[who] >= clock);
    }
    void merge(const Release &r)
    {
        if (r.epoch > epoch || row.empty())
            *this = r;
        else if (r.epoch == epoch)
            for (size_t a = 0; a < row.size(); a++)
                row[a] = std::max(row[a], r.row[a]);
    }
};

struct Moment {
    Actor who;
    uint32_t epoch, clock;
};

/* The releases at one address, by the first epoch of their block. */
typedef std::map<uint32_t, Release> Board;
std::map<const void *, Board> boards;

std::vector<Release> fences; /* the last fence of each thread of this block */

/* current: the merged fences of the last epoch in which a thread of this block
 * executed a fence. past: those of the epoch with fences before it. */
Release current, past;

/* The acquires of this block, by address. */
std::map<const void *, std::vector<Moment>> acquired;

bool has_acquired(const std::vector<Moment> &moments)
{
    for (const Moment &m : moments)
        if (is_over(m.who, m.epoch, m.clock))
            return true;
    return false;
}

/* Returns the union of the fences that are complete for the running thread. */
Release known_fences()
{
    if (current.epoch < now.epoch)
        return current;
    Release all = past;
    for (Actor t = 0; t < fences.size(); t++)
        if (fences[t].epoch == now.epoch &&
            is_over_by_clock(t, fences[t].row[t]))
            all.merge(fences[t]);
    return all;
}
} // namespace

void emu::fence()
{
    Actor me = now.me;
    if (is_agent(me) || effort == CUDA_COUNT)
        return;
    Unwatched quiet;
    uint32_t *mine = knows[me], most = now.first_agent + max_agents;
    mine[me] = clock_of[me]++;
    if (current.epoch < now.epoch) {
        past = current;
        current = {};
    }
    fences.resize(now.first_agent);
    fences[me] = {now.epoch, std::vector<uint32_t>(mine, mine + most)};
    current.merge(fences[me]);
}

void emu::order_atomic(const void *p)
{
    auto found = boards.find(p);
    if (is_agent(now.me) || (found == boards.end() && fences.empty()))
        return;
    Board &board = boards[p];
    auto mine = board.find(now.block_epoch);
    if (mine != board.end() && mine->second.epoch == now.epoch)
        learn(now.me, mine->second.row.data());
    Moment here = {now.me, now.epoch, my_clock()};
    std::vector<Moment> &moments = acquired[p];
    if (!board.empty() && !has_acquired(moments))
        moments.push_back(here);
    if (fences.empty())
        return;
    Release r = known_fences();
    if (r.row.empty())
        return;
    board[now.block_epoch].merge(r);
    for (const auto &other : acquired) /* publishes acquired accesses, too */
        if (other.first != p && has_acquired(other.second))
            for (const auto &known : boards[other.first])
                board[known.first].merge(known.second);
}

bool emu::is_released(Actor who, uint32_t epoch, uint32_t clock)
{
    for (const auto &a : acquired) {
        const Board &board = boards[a.first];
        auto next = board.upper_bound(epoch);
        if (next != board.begin() &&
            std::prev(next)->second.covers(who, epoch, clock) &&
            has_acquired(a.second))
            return true;
    }
    return false;
}

void emu::clear_releases(bool of_launch)
{
    if (of_launch)
        boards.clear();
    fences.clear();
    acquired.clear();
    current = past = {};
}
