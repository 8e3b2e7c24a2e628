/* arrays.cpp: the arrays of global memory; see memory.h. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

#include <sys/mman.h>

char *emu::arena;
std::deque<emu::Array> emu::arrays;

namespace
{
/* Arrays begin at multiples of a granule (cudaMalloc guarantees 256 bytes).
 * There is at least one unused granule between two arrays. */
constexpr size_t granule = 256;

/* One part each for device memory and managed memory: the end of its used
 * memory, and the number of its last array (1 if it has none). */
struct Part {
    size_t used;
    uint32_t last;
} parts[] = {{granule, 1}, {emu::managed_begin + granule, 1}};
uint32_t *owner; /* number of the array at each granule, or 0 */
} // namespace

emu::Array *emu::array_new(size_t bytes, bool managed)
{
    if (!arena) {
        arena = static_cast<char *>(reserve(arena_bytes));
        mprotect(arena, managed_begin, PROT_NONE);
        owner = static_cast<uint32_t *>(
            reserve(arena_bytes / granule * sizeof *owner));
    }
    Part &part = parts[managed];
    size_t &used = part.used, end = managed ? arena_bytes : managed_begin;
    size_t granules = (bytes + granule - 1) / granule + 1;
    if (bytes > arena_bytes || used + granules * granule > end)
        return nullptr;
    arrays.push_back({});
    Array &a = arrays.back();
    a.name = "array" + std::to_string(arrays.size());
    a.offset = used;
    a.bytes = bytes;
    a.element = 1;
    a.shadow = shadow_new(arena + used, bytes, &a);
    for (size_t g = 0; g < granules; g++)
        owner[used / granule + g] = (uint32_t)arrays.size();
    used += granules * granule;
    part.last = (uint32_t)arrays.size();
    return &a;
}

void emu::array_free(Array *a)
{
    a->freed = true;
    shadow_free(a->shadow);
    /* Frees the pages, but does not reuse the addresses, so that later accesses
     * are found. Other arrays may share the first and the last page. */
    size_t first = (a->offset + 4095) & ~(size_t)4095;
    size_t last = (a->offset + a->bytes) & ~(size_t)4095;
    if (last > first)
        madvise(arena + first, last - first, MADV_DONTNEED);
}

emu::Range emu::living_pages()
{
    static size_t first; /* all arrays before it are freed or managed */
    while (first < arrays.size() &&
           (arrays[first].freed || arrays[first].offset >= managed_begin))
        first++;
    size_t used = parts[0].used;
    size_t begin = first < arrays.size() ? arrays[first].offset : used;
    return {begin & ~(size_t)4095, (used + 4095) & ~(size_t)4095};
}

emu::Array *emu::array_at(size_t offset)
{
    uint32_t number = owner[offset / granule];
    return &arrays[(number ? number : parts[offset >= managed_begin].last) - 1];
}

emu::Array *emu::array_holding(const void *p, size_t bytes)
{
    size_t offset = (uintptr_t)p - (uintptr_t)arena;
    if (!arena || offset >= arena_bytes)
        return nullptr;
    Array *a = array_at(offset);
    return a->freed || offset < a->offset ||
                   offset + bytes > a->offset + a->bytes
               ? nullptr
               : a;
}
