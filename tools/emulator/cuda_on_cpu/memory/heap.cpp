/* heap.cpp: malloc, free, new and delete in a kernel. On a GPU they take memory
 * from a heap of the device; here it is the heap of the process. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

#include <iterator>
#include <map>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
/* The blocks that kernels have allocated, and their sizes. */
std::map<uintptr_t, size_t> &blocks()
{
    static auto *all = new std::map<uintptr_t, size_t>;
    return *all;
}
} // namespace

bool emu::in_heap(const void *p, size_t bytes)
{
    auto next = blocks().upper_bound((uintptr_t)p);
    if (next == blocks().begin())
        return false;
    auto block = std::prev(next);
    return (uintptr_t)p + bytes <= block->first + block->second;
}

/* These two replace the C library's functions, which operators new and delete
 * call too. */
extern "C" void *__libc_malloc(size_t n);
extern "C" void __libc_free(void *p);

extern "C" void *malloc(size_t n)
{
    void *p = __libc_malloc(n);
    if (emu::watching && p) {
        emu::Unwatched quiet;
        blocks()[(uintptr_t)p] = n;
    }
    return p;
}

extern "C" void free(void *p)
{
    if (emu::watching) {
        emu::Unwatched quiet;
        blocks().erase((uintptr_t)p);
    }
    __libc_free(p);
}
