/*
 * Random delays, with which `make gpu-check` searches for races in the Hopper
 * rungs, because racecheck does not support TMA. If compiled with -DSHAKE=n, a
 * rung has n stages (or as many as fit), and fills a stage with NaNs before it
 * loads a tile. Its threads sleep for a random time before they wait, arrive or
 * commit (shake() in ptx_hopper_gpu.h).
 */
#pragma once
#include "07_cuda/ptx/ptx_hopper.h"

/* Returns the number of stages: SHAKE or else `usual`, but at most `most`. */
static constexpr int stages(int usual, int most)
{
#ifdef SHAKE
    (void)usual;
    return SHAKE < most ? SHAKE : most;
#else
    return usual < most ? usual : most;
#endif
}

/* With -DSHAKE, fills a stage with NaNs. A thread that reads it too early or
 * too late computes NaN. The fence orders the stores before those of TMA. */
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
