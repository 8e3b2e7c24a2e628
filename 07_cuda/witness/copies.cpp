/*
 * copies.cpp: cp.async, and mbarriers. A copy lands when it has been waited for
 * and not before: until then there are NaNs where it will be.
 */
#include "07_cuda/witness/mbarrier.h"
#include "07_cuda/witness/opcode.h"

/* --- cp.async ----------------------------------------------------------------
 */

namespace
{
/* cp.async [to], [from], 16, bytes: the rest of the 16 become 0. */
void copy(Warp &w, const Instruction &in, lanes who)
{
    int whole = (int)in.o[2].value;

    EACH (l, who) {
        Copy c = {(u32)(w.number(in.o[0], l) + (u64)in.o[0].value),
                  w.number(in.o[1], l) + (u64)in.o[1].value, whole, &in};
        if (in.o.size() > 3)
            c.bytes = (int)w.number(in.o[3], l);
        if (c.bytes < 0 || c.bytes > whole)
            wrong(w, in, "lane %d: %d bytes of %d", l, c.bytes, whole);
        if (c.from % (u64)whole)
            wrong(w, in, "lane %d: from %llx, not a multiple of %d", l,
                  (unsigned long long)c.from, whole);
        std::memset(shared_at(w, in, c.to, whole), POISON, (size_t)whole);
        w.copies[l].add(c);
    }
}

void land_copy(Warp &w, const Copy &c)
{
    int whole = (int)c.in->o[2].value;
    u8 *to = shared_at(w, *c.in, c.to, whole);

    std::memset(to, 0, (size_t)whole);
    for (int e = 0; e < c.bytes; e += 4)
        std::memcpy(to + e, global_at(w, *c.in, c.from + (u64)e, 4), 4);
    w.block->unfenced[(c.to - SHARED_BASE) / 16] = (u8)(1 + w.index);
}

void commit_copies(Warp &w, const Instruction &, lanes who)
{
    EACH (l, who)
        w.copies[l].commit();
}

void wait_for_copies(Warp &w, const Instruction &in, lanes who)
{
    s64 n = in.o.empty() ? 0 : in.o[0].value;

    EACH (l, who) {
        if (in.o.empty()) /* wait_all */
            w.copies[l].commit();
        w.copies[l].wait(n, [&](const Copy &c) { land_copy(w, c); });
    }
}
} // namespace

Opcode cp_opcode(const Words &name)
{
    if (has(name, "bulk"))
        return tma_opcode(name);
    if (has(name, "commit_group"))
        return {commit_copies, {}, PLAIN, 0};
    if (has(name, "wait_group") || has(name, "wait_all"))
        return {wait_for_copies, {}, PLAIN, 0};
    return {has(name, "mbarrier") ? nullptr : copy, {}, PLAIN, 0};
}

/* --- mbarriers --------------------------------------------------------------- */

Mbarrier read_mbarrier(Warp &w, const Instruction &in, u32 at)
{
    Mbarrier b;

    std::memcpy(&b, shared_at(w, in, at, 8), 8);
    if (!b.expected || b.expected == 0xfffff)
        wrong(w, in, "no mbarrier at %u of shared memory", at - SHARED_BASE);
    return b;
}

void write_mbarrier(Warp &w, const Instruction &in, u32 at, Mbarrier b)
{
    if (b.pending == 0 && b.bytes == 0) {
        b.phase ^= 1;
        b.pending = b.expected;
    }
    std::memcpy(shared_at(w, in, at, 8), &b, 8);
    w.block->progress++;
}

namespace
{
u32 address(Warp &w, const Operand &o, int l)
{
    return (u32)(w.number(o, l) + (u64)o.value);
}

/* mbarrier.init [a], n */
void init(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who) {
        u32 n = (u32)w.number(in.o[1], l), at = address(w, in.o[0], l);
        Mbarrier b = {n, n, 0, 0, 1};
        if (n == 0 || n >= 0xfffff)
            wrong(w, in, "an mbarrier for %u arrivals", n);
        std::memcpy(shared_at(w, in, at, 8), &b, 8);
        w.new_mbarriers.push_back(at);
    }
}

/* mbarrier.inval [a] */
void end(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        std::memset(shared_at(w, in, address(w, in.o[0], l), 8), POISON, 8);
}

/* mbarrier.arrive state, [a], n: n arrivals; .expect_tx: one, and n bytes that
 * TMA will bring. The state is the phase that it arrived in. */
template <bool expects> void arrive(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who) {
        u32 at = address(w, in.o[1], l);
        u32 n = in.o.size() > 2 ? (u32)w.number(in.o[2], l) : 1;
        Mbarrier b = read_mbarrier(w, in, at);
        u32 arrivals = expects ? 1 : n;
        w.lane<u64>(in.o[0])[l] = b.phase;
        if (expects)
            b.bytes += (s32)n;
        if (b.pending < arrivals)
            wrong(w, in, "more arrivals than the mbarrier's %u in a phase",
                  b.expected);
        b.pending -= arrivals;
        write_mbarrier(w, in, at, b);
    }
}

/* mbarrier.try_wait p, [a], state or parity: is that phase over? */
void ask(Warp &w, const Instruction &in, lanes who)
{
    u32 over = 0;

    EACH (l, who) {
        Mbarrier b = read_mbarrier(w, in, address(w, in.o[1], l));
        over |= (u32)(b.phase != (w.number(in.o[2], l) & 1)) << l;
    }
    w.set_predicate(in.o[0], who, over);
    if (over != who)
        w.spins = true;
    else
        w.block->progress++;
}
} // namespace

Opcode mbarrier_opcode(const Words &name)
{
    const std::string &what = name[1];
    bool expects = has(name, "expect_tx");

    return what == "init"    ? Opcode{init, {}, PLAIN, 0}
           : what == "inval" ? Opcode{end, {}, PLAIN, 0}
           : what == "arrive"
               ? Opcode{expects ? arrive<true> : arrive<false>, {}}
           : what == "try_wait" || what == "test_wait" ? Opcode{ask, {}}
                                                       : Opcode{nullptr, {}};
}

/* What this warp stored is for TMA and wgmma to see from now on. */
static void fence(Warp &w, const Instruction &in, lanes)
{
    for (u32 at : w.new_mbarriers) {
        Mbarrier b = read_mbarrier(w, in, at);
        b.is_new = 0;
        std::memcpy(shared_at(w, in, at, 8), &b, 8);
    }
    w.new_mbarriers.clear();
    for (u8 &by : w.block->unfenced)
        if (by == 1 + w.index)
            by = 0;
}

Opcode fence_opcode(const Words &name)
{
    return {has(name, "async") || has(name, "mbarrier_init") ? fence : nothing,
            {},
            PLAIN,
            0};
}
