/* atomics.cpp: threads run one at a time, so an atomic is a plain update;
 * its cell remembers that it was atomic, and two of them don't race. */
#include "07_cuda/cuda_on_cpu/memory/access.h"
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

#define PC (uintptr_t) __builtin_return_address(0)

float atomicAdd(float *p, float v)
{
    return atomic(
        p, [v](float old) { return old + v; }, PC);
}
int atomicAdd(int *p, int v)
{
    return atomic(
        p, [v](int old) { return old + v; }, PC);
}
unsigned atomicAdd(unsigned *p, unsigned v)
{
    return atomic(
        p, [v](unsigned old) { return old + v; }, PC);
}
int atomicMax(int *p, int v)
{
    return atomic(
        p, [v](int old) { return old < v ? v : old; }, PC);
}
int atomicMin(int *p, int v)
{
    return atomic(
        p, [v](int old) { return v < old ? v : old; }, PC);
}
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
