/*
 * The compiler includes this file before rung 10 (by -include). Then the first
 * thread of each warpgroup of block 0 prints a line for each event (wait,
 * arrive, load, scores, output, done, turn, give), with four columns:
 *
 *     warpgroup, event, mbarrier or -, the mbarrier's address or a number
 */
#pragma once
#include <stdio.h>

#include "07_cuda/ptx/ptx_hopper.h"

static EMU_VARIABLE const char *product[8];

static inline void starts(const char *name)
{
    if (threadIdx.x % 128 == 0)
        product[threadIdx.x / 128] = name;
}

static inline void note(const char *event, const char *name, size_t number)
{
    if (threadIdx.x % 128 == 0 && blockIdx.x == 0)
        printf("%d\t%s\t%s\t%zu\n", (int)threadIdx.x / 128, event, name,
               number);
}

template <int k, int n> static inline void logged_wait(float (&d)[n])
{
    wgmma_wait<k>(d);
    note("done", "-", k);
}

/* A name in parentheses is not expanded: it calls the function. */
#define mbarrier_wait(b, parity)                                               \
    ((mbarrier_wait)(b, parity), note("wait", #b, (size_t)(b)))
#define mbarrier_arrive(b)                                                     \
    ((mbarrier_arrive)(b), note("arrive", #b, (size_t)(b)))
#define mbarrier_arrive_and_expect(b, bytes)                                   \
    ((mbarrier_arrive_and_expect)(b, bytes), note("load", #b, (size_t)(b)))
#define bar_sync(id, n)   ((bar_sync)(id, n), note("turn", "-", (size_t)(id)))
#define bar_arrive(id, n) ((bar_arrive)(id, n), note("give", "-", (size_t)(id)))
#define wgmma(...)        (starts("scores"), (wgmma)(__VA_ARGS__))
#define wgmma_transposed(...)                                                  \
    (starts("output"), (wgmma_transposed)(__VA_ARGS__))
#define wgmma_commit()                                                         \
    ((wgmma_commit)(), note(product[threadIdx.x / 128], "-", 0))
#define wgmma_wait logged_wait

#define rung_pingpong logged_pingpong
