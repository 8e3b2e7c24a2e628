/* warpgroup.h: four warps and the products that they have asked for. */
#pragma once
#include <deque>
#include <vector>

#include "07_cuda/cuda_on_cpu/include/cuda_bf16.h"
#include "07_cuda/cuda_on_cpu/include/cuda_fp8.h"
#include "07_cuda/cuda_on_cpu/include/emulated/ptx_hopper_cpu.h"
#include "07_cuda/cuda_on_cpu/races/order.h"

namespace emu
{
constexpr unsigned lanes = 128;
constexpr int max_n = 256;

/* One that was asked for. */
struct Product {
    Wgmma what;               /* as lane 0 gave it */
    const unsigned *a[lanes]; /* where A comes from registers */
    size_t accumulator;       /* which one of the group's */
    uint32_t moment;          /* of the group's agent */
};

/* A 64 x N accumulator with products under way. */
struct Accumulator {
    float *d[lanes];
    int N;
    uint64_t last; /* number of its last product */
    bool taken[lanes];
    unsigned to_take; /* lanes that have not got their part; 0: free */
    float sum[64][max_n];
};

struct Warpgroup {
    Actor agent;
    const Wgmma *given[lanes]; /* by lanes that wait for the others */
    unsigned came;
    uintptr_t pc; /* of the wgmma that they came to */
    uint64_t asked, computed;
    std::deque<Product> under_way;
    std::vector<Accumulator> accumulators;
    std::vector<uint64_t> closed[lanes]; /* `asked`, at each commit */
    bool fenced[lanes];
    std::vector<uint32_t> moments; /* of each product */
};

/* The accumulator whose registers lane 0 gave, or a free one, which begins
 * with what is in them; then NaNs are there. */
Accumulator &accumulator_for(Warpgroup &g, const Wgmma &w);

/* The oldest product. */
void compute(Warpgroup &g);

/* Gives a lane its part of what is complete: of products below `upto`. */
void take(Warpgroup &g, unsigned lane, uint64_t upto);
} // namespace emu
