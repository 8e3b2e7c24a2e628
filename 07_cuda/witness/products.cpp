/*
 * products.cpp: the tensor cores. mma.sync is a warp's, and is over at once.
 * wgmma is of four warps: it is computed when it has been waited for, from what
 * is in shared memory then; until then nobody may touch the registers that it
 * adds to.
 *
 * What one warp has waited for is over for all four. PTX_OWN_WAIT=1: each warp's
 * quarter is over when that warp has waited. PTX_STRICT=1: nor may anybody
 * read registers of A before the wait. docs/ptx_witness.md
 */
#include <algorithm>
#include <cstdlib>

#include "07_cuda/witness/numbers.h"
#include "07_cuda/witness/opcode.h"

static const bool strict = std::getenv("PTX_STRICT") != nullptr;
static const bool own_wait = std::getenv("PTX_OWN_WAIT") != nullptr;

namespace
{
/* What the name says: D is 16 (of wgmma 64) x N, numbers of A and B have a TYPE.
 * wgmma's operands are the registers of D, those of A or its descriptor, B's
 * descriptor, does it add, and numbers; mma's are D, A, B and C. */
enum { N, TYPE };
enum { E4M3, BF16, FP16 };
constexpr int MOST_N = 256, MOST_K = 32;

int bytes_of(const Instruction &in)
{
    return in.op.numbers[TYPE] == E4M3 ? 1 : 2;
}

double number_at(const Instruction &in, const u8 *p)
{
    u16 x = *p;

    if (in.op.numbers[TYPE] == E4M3)
        return (double)from_e4m3(*p);
    std::memcpy(&x, p, 2);
    return (double)(in.op.numbers[TYPE] == BF16 ? from_bf16(x) : from_fp16(x));
}

/* 16 rows of A, by k; B by k; and where they meet. */
struct Numbers {
    double A[MOST_K][16], B[MOST_K][MOST_N], C[16][MOST_N];
};
Numbers &numbers()
{
    static thread_local Numbers here;
    return here;
}

/* Registers hold rows l / 4 and 8 below, of n columns l % 4 and beside. */
template <int most>
void fetch_registers(Warp &w, const Instruction &in, const Operand *o, int rows,
                     double (*to)[most])
{
    int bytes = bytes_of(in), whole = 4 / bytes, count = rows / 4;

    for (int l = 0; l < WIDTH; l++)
        for (int r = 0; r < count; r++) {
            const u8 *p = (const u8 *)&w.lane<u32>(o[r])[l];
            int row = l / 4 + r * 8 % rows;
            int k = (l % 4 + r * 8 / rows * 4) * whole;
            for (int e = 0; e < whole; e++)
                to[k + e][row] = number_at(in, p + e * bytes);
        }
}

/* C += A B; C is in the registers at `from`, and goes to those at `to`. */
void multiply(Warp &w, const Instruction &in, const Operand *from,
              const Operand *to)
{
    Numbers &x = numbers();
    int n = in.op.numbers[N], K = 32 / bytes_of(in);
    auto place = [&](const Operand *o, int i, int j) {
        int r = j / 8 * 4 + i / 8 * 2 + j % 2;
        return w.lane<float>(o[r]) + i % 8 * 4 + j % 8 / 2;
    };

    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < n; j++)
            x.C[i][j] = from ? (double)*place(from, i, j) : 0;
        for (int k = 0; k < K; k++)
            for (int j = 0; j < n; j++)
                x.C[i][j] += x.A[k][i] * x.B[k][j];
        for (int j = 0; j < n; j++)
            *place(to, i, j) = (float)x.C[i][j];
    }
}

void mma(Warp &w, const Instruction &in, lanes)
{
    const Operand *D = &in.o[0];

    fetch_registers(w, in, D + 4, 16, numbers().A);
    fetch_registers(w, in, D + 8, 8, numbers().B);
    multiply(w, in, D + 10, D);
}

/* --- Operands in shared memory ----------------------------------------------- */

/* Rows first .. first + n - 1 of a matrix (of B: columns) to to[k][row], by a
 * descriptor, in pieces of 16 bytes. Along K a row's 32 bytes lie together; or,
 * transposed, the rows of a k do. */
template <int most>
void fetch(Warp &w, const Instruction &in, u64 descriptor, int first, int n,
           bool transposed, double (*to)[most])
{
    auto field = [&](int bit) {
        return (u32)(descriptor >> bit & 0x3fff) << 4;
    };
    u32 start = field(0), leading = field(16), stride = field(32);
    u32 span = 256u >> (descriptor >> 62), bytes = (u32)bytes_of(in);
    int K = 32 / (int)bytes, whole = 16 / (int)bytes;

    if (span == 256)
        wrong(w, in, "a descriptor without swizzle: not known here");
    for (int i = 0; i < n; i += transposed ? whole : 1)
        for (int k = 0; k < K; k += transposed ? 1 : whole) {
            u32 row = (u32)(first + i), outer = transposed ? (u32)k : row;
            u32 inner = (transposed ? row : (u32)k) * bytes;
            u32 at = start + outer / 8 * stride + outer % 8 * span +
                     inner / span * leading + inner % span;
            at ^= (at >> 7 & (span / 16 - 1)) << 4;
            const u8 *p = shared_at(w, in, at, 16);
            check_fenced(w, in, at, 16);
            for (int e = 0; e < whole; e++, p += bytes)
                (transposed ? to[k][i + e] : to[k + e][i]) = number_at(in, p);
        }
}

u64 descriptor(Warp &w, const Instruction &in, const Operand &o)
{
    const u64 *d = w.lane<u64>(o);

    for (int l = 1; l < WIDTH; l++)
        if (d[l] != d[0])
            wrong(w, in, "lanes 0 and %d differ in a descriptor", l);
    return d[0];
}

/* --- wgmma ------------------------------------------------------------------- */

/* A, if it is in registers: a descriptor has 8 bytes. */
int registers_of_A(const Instruction &in)
{
    return in.o[in.written].bytes == 4 ? 4 : 0;
}

/* Which registers a product that has not been waited for uses. */
void mark(Warp &w, const Instruction &in)
{
    size_t all = in.written + (size_t)registers_of_A(in);

    for (size_t e = 0; e < all; e++)
        w.in_use[in.o[e].at / (4 * WIDTH)] =
            e < in.written ? Warp::ADDED_TO : Warp::READ;
    w.any_in_use = true;
}

void begin(Warp &w, const Instruction &in, lanes)
{
    bool in_registers = registers_of_A(in);
    const Operand *D = &in.o[0], *A = D + in.written;
    const Operand *B = A + (in_registers ? 4 : 1);
    lanes adds = w.true_in(B[1]);
    u64 of_A = in_registers ? 0 : descriptor(w, in, *A);
    u64 of_B = descriptor(w, in, *B);
    /* Are they transposed? The last numbers; bf16 alone has them. */
    bool B_by_k = bytes_of(in) == 2 && w.get(in.o.rbegin()[0], 0);
    bool A_by_k = bytes_of(in) == 2 && w.get(in.o.rbegin()[1], 0);

    if (adds && adds != ALL)
        wrong(w, in, "the lanes of a warp differ");
    if (w.get(B[2], 0) != 1 || w.get(B[3], 0) != 1)
        wrong(w, in, "a scale that is not 1: not known here");
    mark(w, in);
    /* this warp's 16 rows */
    auto multiplied = [=, &w, &in] {
        Numbers &x = numbers();

        if (in_registers)
            fetch_registers(w, in, A, 16, x.A);
        else
            fetch(w, in, of_A, w.index % 4 * 16, 16, A_by_k, x.A);
        fetch(w, in, of_B, 0, in.op.numbers[N], B_by_k, x.B);
        multiply(w, in, adds ? D : nullptr, D);
        w.block->progress++;
    };
    w.products.add({&in, &w, multiplied});
}

void commit(Warp &w, const Instruction &, lanes)
{
    w.products.open++;
    w.block->progress++;
}

void wait(Warp &w, const Instruction &in, lanes)
{
    u64 left = w.get(in.o[0], 0);
    u64 until = w.products.open - std::min(left, w.products.open);
    size_t first = (size_t)(own_wait ? w.index : w.index / 4 * 4);
    size_t end = first + (own_wait ? 1 : 4);
    std::vector<Warp> &warps = w.block->warps;

    if (end > warps.size())
        wrong(w, in, "wgmma needs four warps, the first a multiple of 4");
    for (size_t v = first; v < end; v++)
        if (warps[v].products.open < until) { /* it isn't even asked for */
            w.again = w.spins = true;
            return;
        }
    for (size_t v = first; v < end; v++)
        warps[v].products.finish(until);
    std::fill(w.in_use.begin(), w.in_use.end(), (u8)Warp::FREE);
    w.any_in_use = false;
    for (const Late &p : w.products.all)
        mark(w, *p.in);
}

/* setmaxnreg: registers go from one warpgroup to another. */
void set_registers(Warp &w, const Instruction &in, lanes)
{
    Block &b = *w.block;
    int n = (int)w.get(in.o[0], 0), more = n - w.register_count;
    bool inc = in.op.numbers[0];

    if (n % 8 || n < 24 || n > 256 || (inc ? more < 0 : more > 0))
        wrong(w, in, "from %d registers of a thread to %d", w.register_count,
              n);
    if (more * WIDTH > b.free_registers) { /* until others gave enough */
        w.again = w.spins = true;
        return;
    }
    b.free_registers -= more * WIDTH;
    w.register_count = n;
    b.progress++;
}

} // namespace

/* Called before every instruction while a product runs. */
void check_in_use(Warp &w, const Instruction &in)
{
    if (in.op.run == begin) /* it may add to what another one adds to */
        return;
    for (size_t e = 0; e < in.o.size(); e++) {
        u8 use = w.in_use[in.o[e].at / (4 * WIDTH)];
        if (use == Warp::ADDED_TO ||
            (use == Warp::READ && (strict || e < in.written)))
            wrong(w, in,
                  "a wgmma that was not waited for %s this register "
                  "(operand %zu)",
                  use == Warp::READ ? "reads" : "adds to", e + 1);
    }
}

void add_products(Table &t)
{
    std::string mma_of = "mma.sync.aligned.m16n8k16.row.col.f32.";
    std::string wgmma_of = "wgmma.mma_async.sync.aligned.m64n";

    t[mma_of + "bf16.bf16.f32"] = {mma, TOGETHER, true, {8, BF16}};
    t[mma_of + "f16.f16.f32"] = {mma, TOGETHER, true, {8, FP16}};
    for (int n = 8; n <= MOST_N; n += 8) {
        std::string of = wgmma_of + std::to_string(n);
        t[of + "k16.f32.bf16.bf16"] = {begin, TOGETHER, true, {n, BF16}};
        t[of + "k16.f32.f16.f16"] = {begin, TOGETHER, true, {n, FP16}};
        t[of + "k32.f32.e4m3.e4m3"] = {begin, TOGETHER, true, {n, E4M3}};
    }
    t["wgmma.fence"] = {nothing, TOGETHER, false};
    t["wgmma.commit_group"] = {commit, TOGETHER, false};
    t["wgmma.wait_group"] = {wait, TOGETHER, false};
    t["setmaxnreg.inc"] = {set_registers, TOGETHER, false, {true}};
    t["setmaxnreg.dec"] = {set_registers, TOGETHER, false, {false}};
}
