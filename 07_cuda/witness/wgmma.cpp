/*
 * wgmma.cpp: Hopper's products, of four warps. They are computed when they have
 * been waited for, from what is in shared memory then; until then nobody may
 * touch the registers that they add to.
 *
 * wgmma is one operation of a warpgroup: what one warp has waited for is over
 * for all four. PTX_OWN_WAIT=1: each warp's quarter is over when that warp has
 * waited. PTX_STRICT=1: nor may anybody write, or read, registers of A before
 * the wait. docs/ptx_witness.md
 */
#include <algorithm>
#include <cstdlib>

#include "07_cuda/witness/copies.h"
#include "07_cuda/witness/numbers.h"

static const bool strict = std::getenv("PTX_STRICT") != nullptr;
static const bool own_wait = std::getenv("PTX_OWN_WAIT") != nullptr;

namespace
{
/* What the name says; the operands are the registers of D, those of A or its
 * descriptor, B's descriptor, does it add, and numbers. */
enum { N, BYTES, A_IN_REGISTERS };
constexpr int MOST_N = 256, MOST_K = 32;

struct Matrix { /* by a descriptor */
    u32 start, leading, stride, span;
};

Matrix matrix_of(Warp &w, const Instruction &in, u64 d)
{
    static const u32 spans[] = {16, 128, 64, 32};
    auto field = [d](int bit) { return (u32)(d >> bit & 0x3fff) << 4; };
    Matrix m = {field(0), field(16), field(32), spans[d >> 62]};

    if (m.span == 16)
        wrong(w, in, "a descriptor without swizzle: not known here");
    return m;
}

/* 16 bytes of a matrix, after its swizzle. */
const u8 *chunk(Warp &w, const Instruction &in, const Matrix &m, u32 at)
{
    at ^= (at >> 7 & (m.span / 16 - 1)) << 4;
    const u8 *p = shared_at(w, in, at, 16);
    check_fenced(w, in, at);
    return p;
}

float number_at(const u8 *p, int bytes)
{
    u16 x;

    if (bytes == 1)
        return from_e4m3(*p);
    std::memcpy(&x, p, 2);
    return from_bf16(x);
}

/* Rows first .. first + n - 1 of a matrix (of B: columns) to to[k][row]. Along
 * K a row's 32 bytes lie together; or, transposed, the rows of a k do. */
template <int most>
void fetch(Warp &w, const Instruction &in, const Matrix &m, int first, int n,
           bool transposed, double (*to)[most])
{
    int bytes = in.op.numbers[BYTES], K = 32 / bytes, whole = 16 / bytes;

    if (!transposed)
        for (int i = 0; i < n; i++) {
            u32 row = (u32)(first + i);
            u32 at = m.start + row / 8 * m.stride + row % 8 * m.span;
            for (int k = 0; k < K; k += whole) {
                const u8 *p = chunk(w, in, m, at + (u32)(k / whole * 16));
                for (int e = 0; e < whole; e++)
                    to[k + e][i] = (double)number_at(p + e * bytes, bytes);
            }
        }
    else
        for (int k = 0; k < K; k++)
            for (int i = 0; i < n; i += whole) {
                u32 row = (u32)(first + i), panel = m.span / (u32)bytes;
                u32 at = m.start + row / panel * m.leading +
                         (u32)k / 8 * m.stride + (u32)k % 8 * m.span +
                         row % panel * (u32)bytes;
                const u8 *p = chunk(w, in, m, at);
                for (int e = 0; e < whole; e++)
                    to[k][i + e] = (double)number_at(p + e * bytes, bytes);
            }
}

/* A's 16 rows of this warp from registers: as those of mma.sync. */
void fetch_registers(Warp &w, const Instruction &in, double (*to)[16])
{
    int bytes = in.op.numbers[BYTES], in_one = 4 / bytes;
    const Operand *o = &in.o[in.op.numbers[N] / 2];

    for (int l = 0; l < WIDTH; l++)
        for (int r = 0; r < 4; r++) {
            u32 x = w.lane<u32>(o[r])[l];
            int row = l / 4 + r % 2 * 8;
            int k = (l % 4 + r / 2 * 4) * in_one;
            for (int e = 0; e < in_one; e++)
                to[k + e][row] =
                    (double)number_at((const u8 *)&x + e * bytes, bytes);
        }
}

/* This warp's 16 rows of the product. */
void compute(Warp &w, const Product &p)
{
    const Instruction &in = *p.in;
    int n = in.op.numbers[N], K = 32 / in.op.numbers[BYTES];
    bool in_registers = in.op.numbers[A_IN_REGISTERS];
    int scales = n / 2 + (in_registers ? 4 : 1) + 2; /* after B and p */
    auto flag = [&](int e) {
        return (int)in.o.size() > scales + e && in.o[scales + e].value == 1;
    };
    static thread_local double A[MOST_K][16], B[MOST_K][MOST_N], C[16][MOST_N];

    if (in_registers)
        fetch_registers(w, in, A);
    else
        fetch<16>(w, in, matrix_of(w, in, p.A), w.index % 4 * 16, 16, flag(2),
                  A);
    fetch<MOST_N>(w, in, matrix_of(w, in, p.B), 0, n,
                  flag(in_registers ? 2 : 3), B);
    auto place = [&](int i, int j) { /* of C in the registers */
                                     int r = j / 8 * 4 + i / 8 * 2 + j % 2;
                                     return w.lane<float>(in.o[r]) + i % 8 * 4 +
                                            j % 8 / 2;
    };
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < n; j++)
            C[i][j] = p.adds ? (double)*place(i, j) : 0;
        for (int k = 0; k < K; k++)
            for (int j = 0; j < n; j++)
                C[i][j] += A[k][i] * B[k][j];
        for (int j = 0; j < n; j++)
            *place(i, j) = (float)C[i][j];
    }
}

/* Which registers a product that has not been waited for uses. */
void mark(Warp &w, const Product &p)
{
    int n = p.in->op.numbers[N] / 2;
    int all = n + (p.in->op.numbers[A_IN_REGISTERS] ? 4 : 0);

    for (int e = 0; e < all; e++)
        w.in_use[p.in->o[e].at / (4 * WIDTH)] =
            e < n ? Warp::ADDED_TO : Warp::READ;
    w.any_in_use = true;
}

u64 descriptor(Warp &w, const Instruction &in, const Operand &o)
{
    const u64 *d = w.lane<u64>(o);

    for (int l = 1; l < WIDTH; l++)
        if (d[l] != d[0])
            wrong(w, in, "lanes 0 and %d differ in a descriptor", l);
    return d[0];
}

void begin(Warp &w, const Instruction &in, lanes who)
{
    int a = in.op.numbers[N] / 2;
    bool in_registers = in.op.numbers[A_IN_REGISTERS];
    const Operand *b = &in.o[a + (in_registers ? 4 : 1)];
    u32 adds = w.predicates[b[1].at];
    Product p = {&in, adds != 0, 0, 0};

    if (who != ALL || (adds && adds != ALL))
        wrong(w, in, "the lanes of a warp differ");
    if (b[2].value != 1 || b[3].value != 1)
        wrong(w, in, "a scale that is not 1: not known here");
    if (!in_registers)
        p.A = descriptor(w, in, in.o[a]);
    p.B = descriptor(w, in, b[0]);
    w.products.add(p);
    mark(w, p);
}

void commit(Warp &w, const Instruction &, lanes)
{
    w.products.commit();
    w.products_begun++;
    w.block->progress++;
}

void wait(Warp &w, const Instruction &in, lanes)
{
    s64 left = in.o[0].value;
    u64 until = w.products_begun - std::min((u64)left, w.products_begun);
    int first = own_wait ? w.index : w.index / 4 * 4;
    int last = own_wait ? w.index : first + 3;
    std::vector<Warp> &warps = w.block->warps;

    if (last >= (int)warps.size())
        wrong(w, in, "wgmma needs four warps, the first a multiple of 4");
    for (int v = first; v <= last; v++)
        if (warps[v].products_begun < until) { /* it isn't even asked for */
            w.again = w.spins = true;
            return;
        }
    for (int v = first; v <= last; v++) {
        Warp &of = warps[v];
        while (of.products_done < until) {
            for (const Product &p : of.products.groups.front())
                compute(of, p);
            of.products.groups.pop_front();
            of.products_done++;
            w.block->progress++;
        }
    }
    std::fill(w.in_use.begin(), w.in_use.end(), (u8)Warp::FREE);
    w.any_in_use = false;
    for (const auto &group : w.products.groups)
        for (const Product &p : group)
            mark(w, p);
}
} // namespace

/* Called before every instruction while a product runs. */
void check_in_use(Warp &w, const Instruction &in)
{
    if (in.op.run == begin) /* it may add to what another one adds to */
        return;
    for (size_t e = 0; e < in.o.size(); e++) {
        const Operand &o = in.o[e];
        if (o.bytes == 0 || o.at < 0)
            continue;
        u8 use = w.in_use[o.at / (4 * WIDTH)];
        if (use == Warp::ADDED_TO ||
            (use == Warp::READ && (strict || (int)e < in.op.written)))
            wrong(w, in,
                  "a wgmma that was not waited for %s this register "
                  "(operand %zu)",
                  use == Warp::READ ? "reads" : "adds to", e + 1);
    }
}

/* setmaxnreg: registers go from one warpgroup to another. */
static void set_registers(Warp &w, const Instruction &in, lanes)
{
    Block &b = *w.block;
    int n = (int)in.o[0].value, more = n - w.register_count;
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

/* wgmma.mma_async.sync.aligned.m64nNkK.f32.TYPE.TYPE */
static Opcode product(const Words &name)
{
    int n = std::atoi(name[4].c_str() + 4);
    bool known = name[4].compare(0, 4, "m64n") == 0 && n % 8 == 0 && n > 0 &&
                 n <= MOST_N && has(name, "f32") &&
                 (has(name, "bf16") || has(name, "e4m3"));

    return {known ? begin : nullptr,
            {},
            TOGETHER,
            n / 2,
            {n, has(name, "bf16") ? 2 : 1, has(name, "={}")}};
}

void add_wgmma(Table &t)
{
    t["wgmma.mma_async"] = {nothing, {}, TOGETHER, 0, {}, product};
    t["wgmma.fence"] = {nothing, {}, TOGETHER, 0};
    t["wgmma.commit_group"] = {commit, {}, TOGETHER, 0};
    t["wgmma.wait_group"] = {wait, {}, TOGETHER, 0};
    t["setmaxnreg.inc"] = {set_registers, {}, TOGETHER, 0, {true}};
    t["setmaxnreg.dec"] = {set_registers, {}, TOGETHER, 0, {false}};
}
