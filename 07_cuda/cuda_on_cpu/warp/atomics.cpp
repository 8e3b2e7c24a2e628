/* atomics.cpp: threads run one at a time, so an atomic is a plain update;
 * its cell remembers that it was atomic, and two of them don't race. */
#include "07_cuda/cuda_on_cpu/memory/memory.h"
#include "07_cuda/cuda_on_cpu/include/cuda_runtime.h"
#include "07_cuda/cuda_on_cpu/machine.h"

namespace
{
template <class T, class Update> T atomic(T *p, Update update, uintptr_t pc)
{
    T before;
    bool same;
    {
        emu::Unwatched quiet;
        emu::access(p, sizeof *p, emu::Kind::atomic, pc);
        before = *p;
        *p = update(before);
        same = __builtin_memcmp(p, &before, sizeof before) == 0;
    }
    /* One that changes nothing may be a turn of a loop that waits. */
    if (!same)
        emu::note_progress();
    else
        emu::wait_for(emu::Wait::turn, pc);
    return before;
}
} // namespace

#define ATOMIC(T, name, after)                                                 \
    T name(T *p, T v)                                                          \
    {                                                                          \
        return atomic(                                                         \
            p, [v](T old) { return after; }, PC);                              \
    }
ATOMIC(float, atomicAdd, old + v)
ATOMIC(int, atomicAdd, old + v)
ATOMIC(unsigned, atomicAdd, old + v)
ATOMIC(int, atomicMax, old < v ? v : old)
ATOMIC(int, atomicMin, v < old ? v : old)

int atomicExch(int *p, int v)
{
    return atomic(
        p, [v](int) { return v; }, PC);
}
int atomicCAS(int *p, int expected, int v)
{
    return atomic(
        p, [=](int old) { return old == expected ? v : old; }, PC);
}
unsigned atomicCAS(unsigned *p, unsigned expected, unsigned v)
{
    return atomic(
        p, [=](unsigned old) { return old == expected ? v : old; }, PC);
}
