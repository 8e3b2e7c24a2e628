/*
 * copies.cpp: cp.async, and mbarriers. A copy lands when it has been waited for
 * and not before: until then there are NaNs where it will be.
 */
#include "07_cuda/witness/copies.h"

namespace
{
/* cp.async [to], [from], 16, bytes: the rest of the 16 become 0. */
void copy(Warp &w, const Instruction &in, int l)
{
    int whole = (int)in.o[2].value;
    Copy c = {(u32)address(w, in.o[0], l), address(w, in.o[1], l), whole, &in};

    if (in.o.size() > 3)
        c.bytes = (int)w.number(in.o[3], l);
    if (c.bytes < 0 || c.bytes > whole || c.from % (u64)whole)
        wrong(w, in, "lane %d: %d bytes from %llx", l, c.bytes,
              (unsigned long long)c.from);
    std::memset(shared_at(w, in, c.to, whole), POISON, (size_t)whole);
    w.copies[l].add(c);
}

void land_copy(Warp &w, const Copy &c)
{
    int whole = (int)c.in->o[2].value;
    u8 *to = shared_at(w, *c.in, c.to, whole);

    std::memset(to, 0, (size_t)whole);
    for (int e = 0; e < c.bytes; e += 4)
        std::memcpy(to + e, memory_at(w, *c.in, 0, GLOBAL, c.from + (u64)e, 4),
                    4);
    w.block->unfenced[(c.to - SHARED_BASE) / 16] = (u8)(1 + w.index);
}

void commit(Warp &w, const Instruction &, int l)
{
    w.copies[l].commit();
}
void wait(Warp &w, const Instruction &in, int l)
{
    if (in.o.empty()) /* wait_all */
        w.copies[l].commit();
    w.copies[l].wait(in.o.empty() ? 0 : in.o[0].value,
                     [&w](const Copy &c) { land_copy(w, c); });
}

/* --- mbarriers --------------------------------------------------------------- */

/* mbarrier.init [a], n */
void init(Warp &w, const Instruction &in, int l)
{
    u32 n = (u32)w.number(in.o[1], l), at = (u32)address(w, in.o[0], l);
    Mbarrier b = {n, n, 0, 0, 1};

    if (n == 0 || n >= 0xfffff)
        wrong(w, in, "an mbarrier for %u arrivals", n);
    std::memcpy(shared_at(w, in, at, 8), &b, 8);
    w.new_mbarriers.push_back(at);
}

/* mbarrier.inval [a] */
void end(Warp &w, const Instruction &in, int l)
{
    std::memset(shared_at(w, in, (u32)address(w, in.o[0], l), 8), POISON, 8);
}

/* mbarrier.arrive state, [a], n: n arrivals; .expect_tx: one, and n bytes that
 * TMA will bring. The state is the phase that it arrived in. */
void arrive(Warp &w, const Instruction &in, int l)
{
    u32 at = (u32)address(w, in.o[1], l);
    u32 n = in.o.size() > 2 ? (u32)w.number(in.o[2], l) : 1;
    Mbarrier b = read_mbarrier(w, in, at);
    bool expects = in.op.numbers[0];

    w.lane<u64>(in.o[0])[l] = b.phase;
    if (expects)
        b.bytes += (s32)n;
    if (b.pending < (expects ? 1 : n))
        wrong(w, in, "more arrivals than the mbarrier's %u in a phase",
              (u32)b.expected);
    b.pending -= expects ? 1 : n;
    write_mbarrier(w, in, at, b);
}

/* mbarrier.try_wait p, [a], state or parity: is that phase over? */
void ask(Warp &w, const Instruction &in, int l)
{
    Mbarrier b = read_mbarrier(w, in, (u32)address(w, in.o[1], l));
    bool over = b.phase != (w.number(in.o[2], l) & 1);

    w.set_predicate(in.o[0], 1u << l, over ? ALL : 0);
    w.spins |= !over;
    w.block->progress += over;
}

/* What this warp stored is for TMA and wgmma to see from now on. */
void fence(Warp &w, const Instruction &in, lanes)
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
} // namespace

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

void add_copies(Table &t)
{
    t["cp.async.ca.shared.global"] =
        t["cp.async.cg.shared.global"] = {by_lane<copy>, {}, PLAIN, 0};
    t["cp.async.commit_group"] = {by_lane<commit>, {}, PLAIN, 0};
    t["cp.async.wait_group"] =
        t["cp.async.wait_all"] = {by_lane<wait>, {}, PLAIN, 0};
    t["mbarrier.init"] = {by_lane<init>, {}, PLAIN, 0};
    t["mbarrier.inval"] = {by_lane<end>, {}, PLAIN, 0};
    t["mbarrier.arrive"] = {by_lane<arrive>, {}, PLAIN, 1, {false}};
    t["mbarrier.arrive.expect_tx"] = {by_lane<arrive>, {}, PLAIN, 1, {true}};
    t["mbarrier.try_wait"] = t["mbarrier.test_wait"] = {by_lane<ask>};
    t["fence.mbarrier_init"] = t["fence.proxy.async"] = {fence, {}, PLAIN, 0};
}
