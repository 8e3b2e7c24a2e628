/* warpgroup.h: four warps and the products that they have asked for. */
#pragma once
#include <deque>
#include <vector>

#include "07_cuda/emulator/cuda_on_cpu/include/cuda_bf16.h"
#include "07_cuda/emulator/cuda_on_cpu/include/cuda_fp8.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/instructions.h"
#include "07_cuda/emulator/cuda_on_cpu/races/order.h"

namespace emu
{
constexpr unsigned lanes = 128;
constexpr int max_n = 256;

/* A product that was issued. */
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

/* One operand, described by a descriptor: rows (of A: 64, of B^T: N) of 32
 * bytes, 16 bf16 or 32 e4m3; or transposed, 16 rows of so many bf16. */
struct Operand {
    uint64_t descriptor;
    bool transposed, e4m3;

    int depth() const /* columns, that a product sums over */
    {
        return e4m3 ? 32 : 16;
    }
};

/* Reports reads of rows first..first+n by the acting agent that are races,
 * out of bounds, of nothing written. Ends the launch if it must. */
void check_operand(const Operand &o, int first, int n, uintptr_t pc);

/* out[k * stride + i] for i < n, k < depth */
void read_operand(const Operand &o, int n, float *out, int stride);
} // namespace emu
