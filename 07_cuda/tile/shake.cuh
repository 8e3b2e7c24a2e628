/*
 * A search for races in the Hopper rungs by `make gpu-check`, because
 * compute-sanitizer does not support TMA. Compiled with -DSHAKE=n, a rung has n
 * stages (or as many as fit), and a stage is filled with NaNs before it is
 * loaded again. Every role sleeps at random before it waits, arrives or loads
 * (shake() in ptx_hopper_gpu.h). Without SHAKE this file adds no code.
 */
#pragma once
#include "07_cuda/ptx/ptx_hopper.h"

/* Returns the number of stages: the usual one, or SHAKE, at most `most`. */
static constexpr int stages(int usual, int most)
{
#ifdef SHAKE
    (void)usual;
    return SHAKE < most ? SHAKE : most;
#else
    return usual < most ? usual : most;
#endif
}

/* Fills a stage with NaNs: a thread that reads it too early or too late sees
 * them. The thread that loads calls it. The fence orders these stores before
 * TMA's. */
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
