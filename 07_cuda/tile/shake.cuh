/*
 * For `make gpu-check`, which looks for races where compute-sanitizer cannot
 * follow TMA: compiled with -DSHAKE=n, the Hopper rungs have n stages (or as
 * many as fit), a stage is filled with NaNs before it is loaded again, and
 * every role sleeps now and then before it waits, arrives or loads (shake() in
 * ptx_hopper_gpu.h). Compiled without, none of it is there.
 */
#pragma once
#include "07_cuda/ptx/ptx_hopper.h"

/* The stages of a rung: as usual; at most so many fit. */
static constexpr int stages(int usual, int most)
{
#ifdef SHAKE
    (void)usual;
    return SHAKE < most ? SHAKE : most;
#else
    return usual < most ? usual : most;
#endif
}

/* By the thread that loads: a thread that reads the stage too early or too late
 * sees NaNs.
 * The fence is for TMA, which writes there next. */
static inline __device__ void spoil(char *stage, int bytes)
{
#ifdef SHAKE
    for (int e = 0; e < bytes; e += 16)
        *(uint4 *)(stage + e) = make_uint4(~0u, ~0u, ~0u, ~0u);
    fence_proxy_async();
#else
    (void)stage;
    (void)bytes;
#endif
}
