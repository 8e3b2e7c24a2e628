/* warp_wide.cpp: what the lanes of a warp do together: shuffles, votes, and the
 * tensor cores by mma.sync and ldmatrix. */
#include "07_cuda/witness/numbers.h"
#include "07_cuda/witness/opcode.h"

namespace
{
/* shfl.sync d|p, a, b, c, who: the lane that each reads is from(l, b, least,
 * most), by the description of PTX. p says that it was in the segment. */
template <class F> Opcode shuffle(F from)
{
    static const F kept = from;

    return {[](Warp &w, const Instruction &in, lanes who) {
                bool has_p = in.o.size() == 6;
                const Operand *o = &in.o[has_p];
                u32 got[WIDTH], inside = 0;

                EACH (l, who) {
                    u32 c = w.lane<u32>(o[3])[l], segment = c >> 8 & 31;
                    int least = (int)((u32)l & segment);
                    int clamp = least | (int)(c & 31 & ~segment);
                    int by = (int)(w.lane<u32>(o[2])[l] & 31);
                    int j = kept(l, by, least | (by & (int)~segment));
                    bool in_it = c & 31 ? j <= clamp : j >= clamp;
                    if (!in_it)
                        j = l;
                    if (!(who >> j & 1))
                        wrong(w, in, "lane %d reads lane %d, which is not here",
                              l, j);
                    got[l] = w.lane<u32>(o[1])[j];
                    inside |= (u32)in_it << l;
                }
                write(w, in.o[0], who, got);
                if (has_p)
                    w.set_predicate(in.o[1], who, inside);
            },
            {},
            NAMED};
}

/* vote.sync: of(the lanes for which p holds, the lanes that are here). */
template <class F> Opcode vote(F of)
{
    static const F kept = of;

    return {[](Warp &w, const Instruction &in, lanes who) {
                bool p = kept(w.predicates[in.o[1].at] & who, who);
                w.set_predicate(in.o[0], who, p ? ALL : 0);
            },
            {},
            NAMED};
}
void ballot(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        w.lane<u32>(in.o[0])[l] = w.predicates[in.o[1].at] & who;
}
void active(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        w.lane<u32>(in.o[0])[l] = who;
}

/* mma.m16n8k16: lane l has rows l / 4 and 8 below, columns l % 4 * 2 and beside.
 * D is 4 registers, then A 4, B 2, C 4. */
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
    size_t n = in.o.size() - 1;
    u32 got[4][WIDTH];

    if (who != ALL)
        wrong(w, in, "ldmatrix by lanes %08x alone", who);
    for (size_t q = 0; q < n; q++)
        for (int r = 0; r < 8; r++) {
            u64 from = address(w, in.o[n], 8 * (int)q + r);
            const u8 *row = shared_at(w, in, (u32)from, 16);
            for (int c = 0; c < 8; c++) {
                int i = transposed ? c : r, j = transposed ? r : c;
                std::memcpy((u16 *)&got[q][i * 4 + j / 2] + j % 2, row + 2 * c,
                            2);
            }
        }
    for (size_t q = 0; q < n; q++)
        write(w, in.o[q], ALL, got[q]);
}
} // namespace

void add_warp_wide(Table &t)
{
    t["shfl.sync.idx"] = shuffle([](int, int, int inside) { return inside; });
    t["shfl.sync.bfly"] = shuffle([](int l, int by, int) { return l ^ by; });
    t["shfl.sync.up"] = shuffle([](int l, int by, int) { return l - by; });
    t["shfl.sync.down"] = shuffle([](int l, int by, int) { return l + by; });
    t["vote.sync.any"] = vote([](lanes p, lanes) { return p != 0; });
    t["vote.sync.all"] = vote([](lanes p, lanes who) { return p == who; });
    t["vote.sync.uni"] =
        vote([](lanes p, lanes who) { return p == 0 || p == who; });
    t["vote.sync.ballot"] = {ballot, {}, NAMED};
    t["activemask"] = {active};
    std::string product = "mma.sync.aligned.m16n8k16.row.col.f32.";
    t[product + "bf16.bf16.f32"] = {mma<from_bf16>, {}, TOGETHER, 4};
    t[product + "f16.f16.f32"] = {mma<from_fp16>, {}, TOGETHER, 4};
    for (int n = 1; n <= 4; n *= 2) {
        std::string name = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(n);
        t[name] = {ldmatrix<false>, {}, TOGETHER, n};
        t[name + ".trans"] = {ldmatrix<true>, {}, TOGETHER, n};
    }
}
