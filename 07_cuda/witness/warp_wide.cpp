/* warp_wide.cpp: what the lanes of a warp do together: shuffles, votes, and
 * matrices from shared memory. */
#include "07_cuda/witness/opcode.h"

namespace
{
/* shfl.sync d|p, a, b, c, who: the lane that each reads is from(l, b, least,
 * most), by the description of PTX. p says that it was in the segment. */
template <class F> Opcode shuffle(F from)
{
    static const F kept = from;

    return {[](Warp &w, const Instruction &in, lanes who) {
                const Operand *o = &in.o[in.written - 1];
                u32 got[WIDTH];

                EACH (l, who) {
                    u32 c = (u32)w.get(o[3], l), segment = c >> 8 & 31;
                    int least = (int)((u32)l & segment);
                    int clamp = least | (int)(c & 31 & ~segment);
                    int by = (int)(w.get(o[2], l) & 31);
                    int j = kept(l, by, least | (by & (int)~segment));
                    bool in_it = c & 31 ? j <= clamp : j >= clamp;
                    if (!in_it)
                        j = l;
                    if (!(who >> j & 1))
                        wrong(w, in, "lane %d reads lane %d, which is not here",
                              l, j);
                    got[l] = (u32)w.get(o[1], j);
                    if (in.written == 2)
                        w.set(in.o[1], l, in_it);
                }
                write(w, in.o[0], who, got);
            },
            NAMED};
}

/* vote.sync d, p, who: of(the lanes for which p holds, the lanes that are here),
 * a truth or the lanes themselves. */
template <class F> Opcode vote(F of)
{
    static const F kept = of;

    return {[](Warp &w, const Instruction &in, lanes who) {
                lanes p = w.true_in(in.o[1]) & who;
                EACH (l, who)
                    w.set(in.o[0], l, kept(p, who));
            },
            NAMED,
            true,
            {4, 4, 4}};
}
void active(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        w.set(in.o[0], l, who);
}

/* Matrices of 8 rows of 16 bytes, whose addresses lanes 8 q + row have. */
template <bool transposed> void ldmatrix(Warp &w, const Instruction &in, lanes)
{
    size_t n = in.o.size() - 1;
    u32 got[4][WIDTH];

    for (size_t q = 0; q < n; q++)
        for (int r = 0; r < 8; r++) {
            u64 from = address(w, in.o[n], 8 * (int)q + r);
            const u8 *row = memory_at(w, in, (u32)from, 16);
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
    t["vote.sync.ballot"] = vote([](lanes p, lanes) { return p; });
    t["activemask"] = {active};
    for (std::string n : {"1", "2", "4"}) {
        std::string name = "ldmatrix.sync.x" + n;
        t[name] = {ldmatrix<false>, TOGETHER};
        t[name + ".trans"] = {ldmatrix<true>, TOGETHER};
    }
}
