/* warp_wide.cpp: shuffles, votes, activemask and ldmatrix. */
#include "tools/emulator/ptx_interpreter/opcode.h"

namespace
{
/* shfl.sync d|p, a, b, c, mask: lane l reads lane from(l, b, i), where i is
 * lane b of l's segment of the warp. c gives the segment and its last (first)
 * lane. p is true if from() is in the segment, else l reads its own number. */
template <class F> Opcode shuffle(F from)
{
    static const F kept = from;

    return {[](Warp &w, const Instruction &in, lanes active) {
                const Operand *o = &in.o[in.written - 1];
                const Register given = w.registers[o[1].at];

                EACH (l, active) {
                    u32 c = (u32)w.get(o[3], l), segment = c >> 8 & 31;
                    int least = (int)((u32)l & segment);
                    int clamp = least | (int)(c & 31 & ~segment);
                    int by = (int)(w.get(o[2], l) & 31);
                    int j = kept(l, by, least | (by & (int)~segment));
                    bool in_it = c & 31 ? j <= clamp : j >= clamp;
                    if (!in_it)
                        j = l;
                    if (!(active >> j & 1))
                        wrong(w, in,
                              "lane %d reads lane %d, which is not active", l,
                              j);
                    w.set(in.o[0], l, (u32)given[(size_t)j]);
                    if (in.written == 2)
                        w.set(in.o[1], l, in_it);
                }
            },
            NAMED};
}

/* vote.sync d, p, mask: d = of(lanes with a true p, active lanes). d is a
 * predicate or a set of lanes. */
template <class F> Opcode vote(F of)
{
    static const F kept = of;

    return {[](Warp &w, const Instruction &in, lanes active) {
                lanes p = w.true_in(in.o[1]) & active;
                EACH (l, active)
                    w.set(in.o[0], l, kept(p, active));
            },
            NAMED, true, 3};
}
void activemask(Warp &w, const Instruction &in, lanes active)
{
    EACH (l, active)
        w.set(in.o[0], l, active);
}

/* Lane 8 q + i has the address of row i, which is 16 bytes, of matrix q. */
template <bool transposed> void ldmatrix(Warp &w, const Instruction &in, lanes)
{
    size_t n = in.o.size() - 1;
    const u8 *row[WIDTH];

    for (int l = 0; l < 8 * (int)n; l++)
        row[l] = memory_at(w, in, (u32)address(w, in.o[n], l), 16);
    for (size_t q = 0; q < n; q++)
        EACH (l, ALL) {
            u32 both = 0;
            for (int h = 0; h < 2; h++) {
                int i = l / 4, j = l % 4 * 2 + h;
                const u8 *from = transposed ? row[8 * q + j] + 2 * i
                                            : row[8 * q + i] + 2 * j;
                both |= (u32)number_at<u16>(from) << 16 * h;
            }
            w.set(in.o[q], l, both);
        }
}
} // namespace

void add_warp_wide(Table &t)
{
    t["shfl.sync.idx"] = shuffle([](int, int, int inside) { return inside; });
    t["shfl.sync.bfly"] = shuffle([](int l, int by, int) { return l ^ by; });
    t["shfl.sync.up"] = shuffle([](int l, int by, int) { return l - by; });
    t["shfl.sync.down"] = shuffle([](int l, int by, int) { return l + by; });
    t["vote.sync.any"] = vote([](lanes p, lanes) { return p != 0; });
    t["vote.sync.all"] =
        vote([](lanes p, lanes active) { return p == active; });
    t["vote.sync.ballot"] = vote([](lanes p, lanes) { return p; });
    t["activemask"] = {activemask};
    for (std::string n : {"1", "2", "4"}) {
        std::string name = "ldmatrix.sync.x" + n;
        t[name] = {ldmatrix<false>, TOGETHER};
        t[name + ".trans"] = {ldmatrix<true>, TOGETHER};
    }
}
