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
    u64 to = address(w, in.o[0], l), from = address(w, in.o[1], l);
    s64 whole = (s64)w.get(in.o[2], l);
    s64 bytes = in.o.size() > 3 ? (s32)w.get(in.o[3], l) : whole;
    u8 *there = shared_at(w, in, to, (int)whole);

    if (bytes < 0 || bytes > whole || from % (u64)whole)
        wrong(w, in, "lane %d: %d bytes from %llx", l, (int)bytes,
              (unsigned long long)from);
    std::memset(there, POISON, (size_t)whole);
    auto landed = [=, &w, &in] {
        std::memset(there, 0, (size_t)whole);
        for (s64 e = 0; e < bytes; e += 4)
            std::memcpy(there + e,
                        memory_at(w, in, l, GLOBAL, from + (u64)e, 4), 4);
        stored(w, there);
    };
    w.copies[l].add({&in, &w, landed});
}

void wait_all(Warp &w, const Instruction &in, int l)
{
    close_group<&Warp::copies>(w, in, l);
    w.copies[l].wait(0);
}

/* --- mbarriers --------------------------------------------------------------- */

/* mbarrier.init [a], n */
void init(Warp &w, const Instruction &in, int l)
{
    u32 n = (u32)w.get(in.o[1], l), at = (u32)address(w, in.o[0], l);
    Mbarrier b = {n, n, 0, 0, 1};

    if (n == 0 || n >= 0xfffff)
        wrong(w, in, "an mbarrier for %u arrivals", n);
    std::memcpy(shared_at(w, in, at, 8), &b, 8);
    w.new_mbarriers.push_back(at);
}

/* mbarrier.inval [a] */
void end(Warp &w, const Instruction &in, int l)
{
    std::memset(&mbarrier_at(w, in, address(w, in.o[0], l)), POISON, 8);
}

/* mbarrier.arrive state, [a], n: n arrivals; .expect_tx: one, and n bytes that
 * TMA will bring. The state is the phase that it arrived in. */
void arrive(Warp &w, const Instruction &in, int l)
{
    Mbarrier &b = mbarrier_at(w, in, address(w, in.o[1], l));
    u32 n = in.o.size() > 2 ? (u32)w.get(in.o[2], l) : 1;

    w.set(in.o[0], l, b.phase);
    if (in.op.numbers[0]) {
        b.bytes += (s32)n;
        n = 1;
    }
    if (b.pending < n)
        wrong(w, in, "more arrivals than the mbarrier's %u in a phase",
              (u32)b.expected);
    b.pending -= n;
    came(w, b);
}

/* mbarrier.try_wait p, [a], state or parity: is that phase over? */
void ask(Warp &w, const Instruction &in, int l)
{
    const Mbarrier &b = mbarrier_at(w, in, address(w, in.o[1], l));
    bool over = b.phase != (w.get(in.o[2], l) & 1);

    w.set(in.o[0], l, over);
    w.spins |= !over;
    w.block->progress += over;
}

/* What this warp stored is for TMA and wgmma to see from now on. */
void fence(Warp &w, const Instruction &in, lanes)
{
    for (u32 at : w.new_mbarriers)
        mbarrier_at(w, in, at).is_new = 0;
    w.new_mbarriers.clear();
    for (u8 &by : w.block->unfenced)
        if (by == 1 + w.index)
            by = 0;
}
} // namespace

Mbarrier &mbarrier_at(Warp &w, const Instruction &in, u64 at)
{
    Mbarrier &b = *(Mbarrier *)shared_at(w, in, (u32)at, 8);

    if (!b.expected || b.expected == 0xfffff)
        wrong(w, in, "no mbarrier at %d of shared memory",
              (int)(at - SHARED_BASE));
    return b;
}

void came(Warp &w, Mbarrier &b)
{
    if (b.pending == 0 && b.bytes == 0) {
        b.phase ^= 1;
        b.pending = b.expected;
    }
    w.block->progress++;
}

void add_copies(Table &t)
{
    auto put = [&](std::string name, Run run) {
        t[name] = {run, PLAIN, false};
    };

    put("cp.async.ca", by_lane<copy>);
    put("cp.async.cg", by_lane<copy>);
    put("cp.async.commit_group", by_lane<close_group<&Warp::copies>>);
    put("cp.async.wait_group", by_lane<wait_group<&Warp::copies>>);
    put("cp.async.wait_all", by_lane<wait_all>);
    put("mbarrier.init", by_lane<init>);
    put("mbarrier.inval", by_lane<end>);
    put("fence.mbarrier_init", fence);
    put("fence.proxy.async", fence);
    t["mbarrier.arrive"] = {by_lane<arrive>, PLAIN, true, {false}};
    t["mbarrier.arrive.expect_tx"] = {by_lane<arrive>, PLAIN, true, {true}};
    t["mbarrier.try_wait"] = t["mbarrier.test_wait"] = {by_lane<ask>};
}
