/* allocations.cpp: which addresses are the device's. */
#include "07_cuda/witness/allocations.h"

#include <cstdlib>
#include <cstring>
#include <map>

static std::map<u64, size_t> pieces;
static u64 released; /* what threads remember may be gone */

u8 *allocate(size_t bytes)
{
    constexpr size_t unit = 512;
    size_t whole = (bytes / unit + 1) * unit;
    u8 *at = (u8 *)std::aligned_alloc(unit, whole);

    if (!at)
        return nullptr;
    std::memset(at, POISON, whole);
    pieces[(u64)at] = bytes;
    return at;
}

bool release(void *at)
{
    if (!pieces.erase((u64)at))
        return false;
    released++;
    std::free(at);
    return true;
}

u8 *allocated_at(u64 address, size_t bytes)
{
    static thread_local u64 first, end, known; /* the last piece asked for */
    u64 last = address + bytes;

    if (known != released || address < first || last > end) {
        auto piece = pieces.upper_bound(address);
        if (piece == pieces.begin())
            return nullptr;
        --piece;
        first = piece->first, end = first + piece->second, known = released;
    }
    return last > end ? nullptr : (u8 *)address;
}
