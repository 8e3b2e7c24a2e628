/* products.cpp: the tensor cores (docs/ptx_witness.md). An mma.sync of one warp
 * is executed immediately. Four warps issue a wgmma together. The wgmma is
 * executed when a warp waits for it, with the values that shared memory has at
 * that time. Until then only another wgmma may use the registers of its
 * accumulator, and no other instruction may write its registers of A.
 *
 * A wait of one warp executes the products of all four warps. With
 * PTX_OWN_WAIT=1 it executes only that warp's quarter. With PTX_STRICT=1 a
 * thread may not read the registers of A before the wait either. */
#include <cstdlib>

#include "tools/emulator/ptx_interpreter/opcode.h"

static const bool strict = std::getenv("PTX_STRICT") != nullptr;
static const bool own_wait = std::getenv("PTX_OWN_WAIT") != nullptr;

namespace
{
/* A as [k][row], with 16 rows, or B as [k][column]. A row of A and a column of
 * B have 32 bytes, which are K numbers of type T. */
using Factor = double[32][256];
template <class T> constexpr int K = 32 / sizeof(T);

/* Copies a factor from registers to `to`. A has 16 rows, and B has 8 columns.
 * Lane l has row (column) l / 4, and for A also row l / 4 + 8. The lane's first
 * k is l % 4 * (4 / sizeof(T)). */
template <class T>
void fetch_registers(Warp &w, const Operand *o, int rows, Factor &to)
{
    constexpr int per_register = 4 / sizeof(T);

    for (int r = 0; r < rows / 4; r++)
        for (int l = 0; l < WIDTH; l++) {
            const u8 *p = (const u8 *)&w.registers[o[r].at][(size_t)l];
            int row = l / 4 + r * 8 % rows;
            int k = (l % 4 + r * 8 / rows * 4) * per_register;
            for (int e = 0; e < per_register; e++)
                to[k + e][row] = (float)number_at<T>(p + e * sizeof(T));
        }
}

/* Computes D = C + A B with n columns, in registers. If C is null, C is 0. */
void multiply(Warp &w, const Operand *D, const Factor &A, const Factor &B,
              const Operand *C, int n, int k_end)
{
    double sum[16][256];
    auto for_all = [&](auto f) {
        for (int r = 0; r < n / 2; r++)
            for (int l = 0; l < WIDTH; l++)
                f(sum[l / 4 + r / 2 % 2 * 8][r / 4 * 8 + l % 4 * 2 + r % 2], r,
                  l);
    };

    for_all([&](double &x, int r, int l) {
        x = C ? (double)w.get<float>(C[r], l) : 0;
    });
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < k_end; k++)
            for (int j = 0; j < n; j++)
                sum[i][j] += A[k][i] * B[k][j];
    for_all([&](double x, int r, int l) { w.set(D[r], l, (float)x); });
}

/* Executes mma D, A, B, C. */
template <class T> void mma(Warp &w, const Instruction &in, lanes)
{
    const Operand *D = &in.o[0];
    Factor A, B;

    fetch_registers<T>(w, D + 4, 16, A);
    fetch_registers<T>(w, D + 8, 8, B);
    multiply(w, D, A, B, D + 10, 8, K<T>);
}

/* Copies n rows of A, or n columns of B, from `first` on, from shared memory.
 * If transposed, numbers with the same k are adjacent there. */
template <class T>
void fetch(Warp &w, const Instruction &in, u64 descriptor, int first, int n,
           bool transposed, Factor &to)
{
    constexpr int per_16_bytes = 16 / sizeof(T);
    auto field = [&](int bit) {
        return (u32)(descriptor >> bit & 0x3fff) << 4;
    };
    u32 start = field(0), leading = field(16), stride = field(32);
    u32 span = 256u >> (descriptor >> 62);

    if (span == 256)
        wrong(w, in, "a descriptor without swizzle is not supported");
    for (int i = 0; i < n; i += transposed ? per_16_bytes : 1)
        for (int k = 0; k < K<T>; k += transposed ? 1 : per_16_bytes) {
            u32 row = (u32)(first + i), outer = transposed ? (u32)k : row;
            u32 inner = (transposed ? row : (u32)k) * sizeof(T);
            u32 at = start + outer / 8 * stride + outer % 8 * span +
                     inner / span * leading + inner % span;
            at ^= (at >> 7 & (span / 16 - 1)) << 4;
            const u8 *p = memory_at(w, in, at, 16);
            check_fenced(w, in, at, 16);
            for (int e = 0; e < per_16_bytes; e++, p += sizeof(T))
                (transposed ? to[k][i + e] : to[k + e][i]) =
                    (float)number_at<T>(p);
        }
}

u64 descriptor(Warp &w, const Instruction &in, const Operand &o)
{
    u64 d = w.get(o, 0);

    for (int l = 1; l < WIDTH; l++)
        if (w.get(o, l) != d)
            wrong(w, in, "lanes 0 and %d differ in a descriptor", l);
    return d;
}

/* Returns the number of registers of A: 4, or 0 if A is in shared memory. In
 * that case 5 or 7 operands follow D. */
size_t registers_of_A(const Instruction &in)
{
    return in.o.size() - in.written > 7 ? 4 : 0;
}

void mark(Warp &w, const Instruction &in)
{
    for (size_t e = 0; e < in.written + registers_of_A(in); e++)
        w.in_use[in.o[e].at] = e < in.written ? Warp::ADDED_TO : Warp::READ;
    w.any_in_use = true;
}

/* Issues a wgmma. Its operands are D's registers, A's registers or descriptor,
 * B's descriptor, a predicate (false: D is not added), and two scales. With
 * 16-bit types flags follow, 1: transposed. A's is only for shared memory. */
template <class T> void begin(Warp &w, const Instruction &in, lanes)
{
    bool in_registers = registers_of_A(in);
    const Operand *D = &in.o[0], *A = D + in.written;
    const Operand *B = A + (in_registers ? 4 : 1);
    lanes adds = w.true_in(B[1]);
    u64 of_A = in_registers ? 0 : descriptor(w, in, *A);
    u64 of_B = descriptor(w, in, *B);
    bool B_by_k = sizeof(T) == 2 && w.get(in.o.rbegin()[0], 0);
    bool A_by_k = sizeof(T) == 2 && w.get(in.o.rbegin()[1], 0);

    if (adds && adds != ALL)
        wrong(w, in, "the predicates of the lanes of a warp differ");
    if (w.get(B[2], 0) != 1 || w.get(B[3], 0) != 1)
        wrong(w, in, "a scale that is not 1 is not supported");
    mark(w, in);
    auto execute = [=, &w, &in] {
        int n = 2 * (int)in.written;
        Factor a, b;

        if (in_registers)
            fetch_registers<T>(w, A, 16, a);
        else
            fetch<T>(w, in, of_A, w.index % 4 * 16, 16, A_by_k, a);
        fetch<T>(w, in, of_B, 0, n, B_by_k, b);
        multiply(w, D, a, b, adds ? D : nullptr, n, K<T>);
        w.block->progress++;
    };
    w.products.add({&in, &w, execute});
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
        wrong(w, in, "a wgmma needs 4 warps; the last warpgroup has fewer");
    for (size_t v = first; v < end; v++)
        if (warps[v].products.open < until) /* warp v committed fewer groups */
            return w.retry();
    for (size_t v = first; v < end; v++)
        warps[v].products.finish(until);
    std::fill(w.in_use.begin(), w.in_use.end(), (u8)Warp::FREE);
    w.any_in_use = false;
    for (const Late &p : w.products.all)
        mark(w, *p.in);
}

/* setmaxnreg.inc waits until setmaxnreg.dec has freed enough registers. */
template <bool inc> void set_registers(Warp &w, const Instruction &in, lanes)
{
    Block &b = *w.block;
    int n = (int)w.get(in.o[0], 0), more = n - w.register_count;

    if (n % 8 || n < 24 || n > 256 || (inc ? more < 0 : more > 0))
        wrong(w, in, "setmaxnreg cannot change %d registers per thread to %d",
              w.register_count, n);
    if (more * WIDTH > b.free_registers)
        return w.retry();
    b.free_registers -= more * WIDTH;
    w.register_count = n;
    b.progress++;
}

template <class T> void products_of(Table &t, const std::string &type)
{
    std::string types = ".f32." + type + "." + type;

    t["mma.sync.row.col" + types + ".f32"] = {mma<T>, TOGETHER, true, 14};
    t["wgmma.mma_async.sync" + types] = {begin<T>, TOGETHER};
}
} // namespace

void check_in_use(Warp &w, const Instruction &in)
{
    /* Two wgmma may add to the same registers. */
    if (begins(in.text, "wgmma.mma"))
        return;
    for (size_t e = 0; e < in.o.size(); e++) {
        u8 use = w.in_use[in.o[e].at];
        if (use == Warp::ADDED_TO ||
            (use == Warp::READ && (strict || e < in.written)))
            wrong(w, in,
                  "a wgmma %s this register (operand %zu), and the warp "
                  "has not waited for it",
                  use == Warp::READ ? "reads" : "adds to", e + 1);
    }
}

void add_products(Table &t)
{
    products_of<bf16>(t, "bf16");
    products_of<fp16>(t, "f16");
    products_of<e4m3>(t, "e4m3");
    t["wgmma.fence"] = {nothing, TOGETHER, false};
    t["wgmma.commit_group"] = {commit, TOGETHER, false};
    t["wgmma.wait_group"] = {wait, TOGETHER, false};
    t["setmaxnreg.inc"] = {set_registers<true>, TOGETHER, false};
    t["setmaxnreg.dec"] = {set_registers<false>, TOGETHER, false};
}
