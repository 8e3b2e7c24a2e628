/* atomics.cpp: only one thread runs at a time, so an atomic is a plain update.
 * The word's shadow cell (shadow.h) records that the access was atomic. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/include/cuda_runtime.h"
#include "tools/emulator/cuda_on_cpu/machine.h"

void emu::atomic_update(void *p, size_t bytes, void (*update)(void *, void *),
                        void *with, bool swap)
{
    uintptr_t pc = PC;
    char before[16];
    bool same;
    {
        Unwatched quiet;
        if (overdue)
            end_overdue(pc);
        if (effort != CUDA_COUNT)
            order_atomic(p);
        access(p, bytes, swap ? Kind::swap : Kind::atomic, pc);
        __builtin_memcpy(before, p, bytes);
        update(p, with);
        same = __builtin_memcmp(p, before, bytes) == 0;
    }
    /* An atomic that does not change the word may be in a spin loop. */
    if (!same)
        note_progress();
    else
        wait_for(Wait::turn, pc);
}
