/* warp_wide.cpp: what the lanes of a warp do together: shuffles, votes, and the
 * tensor cores by mma.sync and ldmatrix. */
#include "07_cuda/witness/numbers.h"
#include "07_cuda/witness/opcode.h"

namespace
{
enum Shuffle { IDX, BFLY, UP, DOWN };

/* shfl.sync d|p, a, b, c, who: which lane j each reads, by the description of
 * PTX. p says that j was in its segment. */
template <Shuffle how> void shuffle(Warp &w, const Instruction &in, lanes who)
{
    bool has_p = in.op.written == 2;
    const Operand *o = &in.o[has_p];
    const u32 *a = w.lane<u32>(o[1]), *b = w.lane<u32>(o[2]);
    const u32 *c = w.lane<u32>(o[3]);
    u32 got[WIDTH], inside = 0;

    EACH (l, who) {
        u32 segment = c[l] >> 8 & 31, clamp = c[l] & 31, by = b[l] & 31;
        u32 least = (u32)l & segment, most = least | (clamp & ~segment);
        s32 j = how == IDX    ? (s32)(least | (by & ~segment))
                : how == BFLY ? (s32)((u32)l ^ by)
                : how == UP   ? l - (s32)by
                              : l + (s32)by;
        bool in_it = how == UP ? j >= (s32)most : j <= (s32)most;
        if (!in_it)
            j = l;
        if (!(who >> j & 1))
            wrong(w, in, "lane %d reads lane %d, which is not here", l, j);
        got[l] = a[j];
        inside |= (u32)in_it << l;
    }
    write(w, in.o[0], who, got);
    if (has_p)
        w.set_predicate(in.o[1], who, inside);
}

enum Vote { ANY, EVERY, BALLOT, UNIFORM };

template <Vote how> void vote(Warp &w, const Instruction &in, lanes who)
{
    u32 p = w.predicates[in.o[1].at] & who;

    if (how == BALLOT) {
        EACH (l, who)
            w.lane<u32>(in.o[0])[l] = p;
    } else
        w.set_predicate(in.o[0], who,
                        (how == ANY     ? p != 0
                         : how == EVERY ? p == who
                                        : p == 0 || p == who)
                            ? ALL
                            : 0);
}

void active(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        w.lane<u32>(in.o[0])[l] = who;
}

/* redux.sync d, a, who */
template <class T, T (*both)(T, T)>
void reduce(Warp &w, const Instruction &in, lanes who)
{
    bool first = true;
    T all = 0;

    EACH (l, who) {
        T x = w.lane<T>(in.o[1])[l];
        all = first ? x : both(all, x);
        first = false;
    }
    EACH (l, who)
        w.lane<T>(in.o[0])[l] = all;
}
template <class T> T sum(T a, T b)
{
    return (T)(a + b);
}
template <class T> T least(T a, T b)
{
    return a < b ? a : b;
}
template <class T> T most(T a, T b)
{
    return a > b ? a : b;
}
template <class T> T in_all(T a, T b)
{
    return a & b;
}
template <class T> T in_any(T a, T b)
{
    return a | b;
}
template <class T> Run reduce_of(const Words &name)
{
    return has(name, "add")   ? reduce<T, sum<T>>
           : has(name, "min") ? reduce<T, least<T>>
           : has(name, "max") ? reduce<T, most<T>>
           : has(name, "and") ? reduce<T, in_all<T>>
           : has(name, "or")  ? reduce<T, in_any<T>>
                              : (Run) nullptr;
}

/* --- Tensor cores ------------------------------------------------------------
 * mma.m16n8k16: lane l has rows l / 4 and 8 below, columns l % 4 * 2 and beside.
 */
template <float (*from)(u16)>
void mma(Warp &w, const Instruction &in, lanes who)
{
    float A[16][16], B[16][8];
    double C[16][8];

    if (who != ALL)
        wrong(w, in, "mma by lanes %08x alone", who);
    for (int l = 0; l < WIDTH; l++) {
        int row = l / 4, column = l % 4 * 2;
        for (int r = 0; r < 4; r++) {
            u32 x = w.lane<u32>(in.o[4 + r])[l];
            float *to = &A[row + r % 2 * 8][column + r / 2 * 8];
            to[0] = from((u16)x), to[1] = from((u16)(x >> 16));
        }
        for (int r = 0; r < 2; r++) {
            u32 x = w.lane<u32>(in.o[8 + r])[l];
            B[column + r * 8][row] = from((u16)x);
            B[column + r * 8 + 1][row] = from((u16)(x >> 16));
        }
        for (int r = 0; r < 4; r++)
            C[row + r / 2 * 8][column + r % 2] = w.lane<float>(in.o[10 + r])[l];
    }
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 8; j++)
                C[i][j] += (double)A[i][k] * B[k][j];
    for (int l = 0; l < WIDTH; l++)
        for (int r = 0; r < 4; r++)
            w.lane<float>(in.o[r])[l] =
                (float)C[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2];
}

/* Matrices of 8 rows of 16 bytes, whose addresses lanes 8 q + row have. */
template <bool transposed>
void ldmatrix(Warp &w, const Instruction &in, lanes who)
{
    int n = in.op.written;
    u32 got[4][WIDTH];

    if (who != ALL)
        wrong(w, in, "ldmatrix by lanes %08x alone", who);
    for (int q = 0; q < n; q++)
        for (int r = 0; r < 8; r++) {
            u32 from = (u32)(w.number(in.o[n], 8 * q + r) + (u64)in.o[n].value);
            const u8 *row = shared_at(w, in, from, 16);
            for (int c = 0; c < 8; c++) {
                int i = transposed ? c : r, j = transposed ? r : c;
                std::memcpy((u16 *)&got[q][i * 4 + j / 2] + j % 2, row + 2 * c,
                            2);
            }
        }
    for (int q = 0; q < n; q++)
        write(w, in.o[q], ALL, got[q]);
}
} // namespace

Opcode shuffle_opcode(const Words &name)
{
    Run run = has(name, "idx")    ? shuffle<IDX>
              : has(name, "bfly") ? shuffle<BFLY>
              : has(name, "up")   ? shuffle<UP>
                                  : shuffle<DOWN>;

    return {run, {}, TOGETHER, has(name, "|") ? 2 : 1, {}};
}

Opcode vote_opcode(const Words &name)
{
    if (name[0] == "activemask")
        return {active, {}};
    if (name[0] == "redux") {
        Run run =
            name.back() == "s32" ? reduce_of<s32>(name) : reduce_of<u32>(name);
        return {run, {}, TOGETHER};
    }
    Run run = has(name, "ballot") ? vote<BALLOT>
              : has(name, "any")  ? vote<ANY>
              : has(name, "all")  ? vote<EVERY>
                                  : vote<UNIFORM>;
    return {run, {}, TOGETHER};
}

Opcode mma_opcode(const Words &name)
{
    bool known = has(name, "m16n8k16") && has(name, "row") &&
                 has(name, "col") && name.back() == "f32" &&
                 name[name.size() - 4] == "f32";
    const std::string &type = name[name.size() - 2];

    return {!known           ? nullptr
            : type == "bf16" ? mma<from_bf16>
            : type == "f16"  ? mma<from_fp16>
                             : (Run) nullptr,
            {},
            TOGETHER,
            4};
}

Opcode ldmatrix_opcode(const Words &name)
{
    int n = has(name, "x4") ? 4 : has(name, "x2") ? 2 : 1;

    return {
        has(name, "trans") ? ldmatrix<true> : ldmatrix<false>, {}, TOGETHER, n};
}
