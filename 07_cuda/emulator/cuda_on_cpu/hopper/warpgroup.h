/* warpgroup.h: a warpgroup, which is four warps, and its products. */
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
    Wgmma what;               /* lane 0's arguments */
    const unsigned *a[lanes]; /* A, if it is in registers */
    size_t accumulator;       /* index in the group's accumulators */
    uint32_t moment;          /* of the group's agent */
};

/* A 64 x N accumulator of products that are not complete. */
struct Accumulator {
    float *d[lanes];
    int N;
    uint64_t last; /* number of its last product */
    bool taken[lanes];
    unsigned to_take; /* number of lanes without their part; 0: unused */
    float sum[64][max_n];
};

struct Warpgroup {
    Actor agent;
    const Wgmma *given[lanes]; /* arguments of the lanes that wait */
    unsigned arrived;          /* number of these lanes */
    uintptr_t pc;              /* of their wgmma */
    uint64_t issued, computed;
    std::deque<Product> under_way;
    std::vector<Accumulator> accumulators;
    std::vector<uint64_t> closed[lanes]; /* `issued` at each commit */
    bool fenced[lanes];
    std::vector<uint32_t> moments; /* of each product */
};

/* Returns the accumulator with lane 0's registers. If there is none, returns a
 * new one with the registers' values, and sets the registers to NaN. */
Accumulator &accumulator_for(Warpgroup &g, const Wgmma &w);

/* Executes the oldest product. */
void compute(Warpgroup &g);

/* Stores the results of products below `upto` in a lane's registers. */
void take(Warpgroup &g, unsigned lane, uint64_t upto);

/* An operand in shared memory. It has rows (of A: 64, of B^T: N) of 32 bytes,
 * 16 bf16 or 32 e4m3. If it is transposed, it has 16 rows of so many bf16. */
struct Operand {
    uint64_t descriptor;
    bool transposed, e4m3;

    int depth() const /* columns, which a product sums over */
    {
        return e4m3 ? 32 : 16;
    }
};

/* Checks the acting agent's reads of n rows: reports races and uninitialised
 * reads; ends the launch if they are out of bounds. */
void check_operand(const Operand &o, int first, int n, uintptr_t pc);

/* Stores the operand in out[k * stride + i] for i < n, k < depth(). */
void read_operand(const Operand &o, int n, float *out, int stride);
} // namespace emu
