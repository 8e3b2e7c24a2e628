/* warpgroup.h: a warpgroup, which is four warps, and its products. */
#pragma once
#include <deque>
#include <vector>

#include "tools/emulator/cuda_on_cpu/include/cuda_bf16.h"
#include "tools/emulator/cuda_on_cpu/include/cuda_fp8.h"
#include "tools/emulator/cuda_on_cpu/include/emulated/instructions.h"
#include "tools/emulator/cuda_on_cpu/races/order.h"

namespace emu
{
constexpr unsigned lanes = 128;
constexpr int max_n = 256;

/* A product, as issued by one wgmma instruction. */
struct Product {
    Wgmma what;               /* lane 0's arguments */
    const unsigned *a[lanes]; /* registers of A, or null (shared memory) */
    size_t accumulator;       /* index in Warpgroup::accumulators */
};

/* The 64 x N accumulator of products that a lane has not waited for. */
struct Accumulator {
    float *d[lanes];
    int N;
    uint64_t last; /* number of the last product */
    bool taken[lanes];
    unsigned to_take; /* lanes that have not taken their part; 0 if unused */
    float sum[64][max_n];
};

struct Warpgroup {
    Actor agent;
    const Wgmma *given[lanes]; /* arguments of the lanes at the current wgmma */
    unsigned arrived;          /* number of these lanes */
    uintptr_t pc;
    uint64_t issued, computed;
    std::deque<Product> under_way;
    std::vector<Accumulator> accumulators;
    std::vector<uint64_t> closed[lanes]; /* value of `issued` at each commit */
    bool fenced[lanes];
    std::vector<uint32_t> moments; /* the agent's clock at each product */
};

/* Returns the accumulator in lane 0's registers w.d. A new one takes the values
 * of all lanes' registers, and fills the registers with NaNs. */
Accumulator &accumulator_for(Warpgroup &g, const Wgmma &w);

/* Executes the oldest product. */
void compute(Warpgroup &g);

/* Stores accumulators with last < upto in a lane's registers. */
void take(Warpgroup &g, unsigned lane, uint64_t upto);

/* An operand in shared memory: 64 rows of A, or N rows of B^T. A row has 16
 * bf16 or 32 e4m3: 32 bytes. A transposed operand has 16 rows of 64 or N
 * bf16. */
struct Operand {
    uint64_t descriptor;
    bool transposed, e4m3;

    int depth() const
    {
        return e4m3 ? 32 : 16;
    }
};

/* Checks the descriptor, and the running agent's reads of rows first to first +
 * n - 1. Ends the launch if the reads are out of bounds. */
void check_operand(const Operand &o, int first, int n, uintptr_t pc);

/* out[k * stride + i] = element k of row i, for i < n and k < depth(). */
void read_operand(const Operand &o, int n, float *out, int stride);
} // namespace emu
