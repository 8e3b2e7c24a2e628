/*
 * schedule.cpp: runs a block. A warp runs until it waits for something; then
 * it is the next one's turn. Lanes that went different ways are groups, of
 * which the one that is furthest behind goes on, so that they meet again.
 *
 * PTX_MODE=late, as it is without: the warps in their order, and what is
 * asynchronous lands when nothing else can go on. PTX_MODE=random: in an order
 * that PTX_SEED says, for so long as it says, and boxes land in between.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "07_cuda/witness/card.h"
#include "07_cuda/witness/machine.h"

static const bool random_order = [] {
    const char *mode = std::getenv("PTX_MODE");

    if (mode && std::strcmp(mode, "late") && std::strcmp(mode, "random"))
        stop("PTX_MODE=%s: allowed are late and random", mode);
    return mode && !std::strcmp(mode, "random");
}();

namespace
{
u64 next_random(Block &b, u64 below)
{
    b.random ^= b.random << 13;
    b.random ^= b.random >> 7;
    b.random ^= b.random << 17;
    return b.random % below;
}

/* --- A warp ------------------------------------------------------------------
 */

/* bar.sync id, count: count threads in all, or all of the block. */
void at_barrier(Warp &w, const Instruction &in)
{
    Block &b = *w.block;
    u32 id = (u32)in.o[0].value, here = WIDTH, count = 0;
    bool counted = in.o.size() > 1;

    if (in.o[0].at >= 0)
        id = (u32)w.number(in.o[0], __builtin_ctz(w.alive));
    if (counted)
        count = (u32)w.number(in.o[1], __builtin_ctz(w.alive));
    else
        for (const Warp &v : b.warps)
            count += (u32)__builtin_popcount(v.alive);
    if (!counted)
        here = (u32)__builtin_popcount(w.alive);
    if (id > 15 || (counted && (count % WIDTH || count > (u32)b.threads)))
        wrong(w, in, "barrier %u for %u threads: the block has %d", id, count,
              b.threads);
    NamedBarrier &bar = b.barriers[id];
    if (bar.arrived && counted && bar.expected != count)
        wrong(w, in, "barrier %u for %u threads here, for %u elsewhere", id,
              count, bar.expected);
    bar.expected = count;
    bar.arrived += here;
    b.progress++;
    if (bar.arrived > count)
        wrong(w, in, "barrier %u: %u threads came, for %u", id, bar.arrived,
              count);
    if (bar.arrived == count) {
        for (Warp *v : bar.waiting)
            v->at_barrier = false;
        bar = NamedBarrier();
    } else if (in.op.numbers[0]) {
        bar.waiting.push_back(&w);
        w.at_barrier = true;
    }
}

bool waits(const Instruction &in)
{
    return in.op.kind == TOGETHER || in.op.kind == NAMED ||
           in.op.kind == BARRIER;
}

/* Are all lanes of the warp here that the instruction is for? */
bool complete(Warp &w, const Group &g)
{
    const Instruction &in = w.block->kernel->code[(size_t)g.at];

    if (!waits(in))
        return true;
    lanes needed = w.alive;
    if (in.op.kind == NAMED)
        needed &= (lanes)w.number(in.o.back(), __builtin_ctz(g.who));
    return (g.who & needed) == needed;
}

/* Groups in the order of their places; those that have met are one. */
void meet(std::vector<Group> &groups)
{
    if (groups.size() < 2)
        return;
    std::sort(groups.begin(), groups.end(),
              [](const Group &a, const Group &b) { return a.at < b.at; });
    for (size_t i = 0; i + 1 < groups.size();)
        if (groups[i].at == groups[i + 1].at) {
            groups[i].who |= groups[i + 1].who;
            groups.erase(groups.begin() + (s64)i + 1);
        } else
            i++;
}

/* The first group that can go on. */
size_t chosen(Warp &w)
{
    meet(w.groups);
    for (size_t i = 0; i < w.groups.size(); i++)
        if (complete(w, w.groups[i]))
            return i;
    const Group &g = w.groups[0];
    wrong(w, w.block->kernel->code[(size_t)g.at],
          "lanes %08x of a warp are here, and the others are not", g.who);
}

/* Runs that group until it branches, meets others, or waits. */
void run_group(Warp &w, size_t which, u64 most)
{
    const std::vector<Instruction> &code = w.block->kernel->code;
    Group g = w.groups[which];
    bool alone = w.groups.size() == 1;
    int next = which + 1 < w.groups.size() ? w.groups[which + 1].at : 1 << 30;
    int first = g.at;
    u64 until = w.steps + most;

    w.groups.erase(w.groups.begin() + (s64)which);
    while (g.who) {
        const Instruction &in = code[(size_t)g.at];
        if (g.at != first && !alone && (waits(in) || g.at >= next))
            break;
        lanes who = g.who;
        if (in.guard >= 0)
            who &= in.guard_not ? ~w.predicates[(size_t)in.guard]
                                : w.predicates[(size_t)in.guard];
        w.steps++;
        g.at++;
        if (!who)
            continue;
        if (in.op.kind == BRANCH) {
            if (who != g.who)
                w.groups.push_back({g.who & ~who, g.at});
            bool back = in.target < g.at;
            g = {who, in.target};
            if (!alone || w.groups.size() || (back && w.steps > until))
                break;
            continue;
        }
        if (in.op.kind == EXIT) {
            w.alive &= ~who;
            g.who &= ~who;
            w.block->progress++;
            break;
        }
        if (in.op.kind == BARRIER) {
            at_barrier(w, in);
            break;
        }
        if (w.any_in_use)
            check_in_use(w, in);
        in.op.run(w, in, who);
        if (w.again) {
            w.again = false;
            g.at--;
        }
        if (w.spins || (random_order && w.steps > until))
            break;
    }
    if (g.who)
        w.groups.push_back(g);
}

void run_warp(Warp &w, u64 most)
{
    u64 until = w.steps + most;

    w.spins = false;
    while (w.alive && !w.at_barrier && !w.spins && w.steps < until)
        run_group(w, chosen(w), until - w.steps);
}

/* --- A block ----------------------------------------------------------------- */

u32 special(const Block &b, const std::string &name, int thread)
{
    u32 t = (u32)thread, lane = t % WIDTH;
    u32 at[3] = {t % b.size[0], t / b.size[0] % b.size[1],
                 t / b.size[0] / b.size[1]};
    const std::pair<const char *, const u32 *> of_three[] = {
        {"%tid.", at},
        {"%ntid.", b.size},
        {"%ctaid.", b.id},
        {"%nctaid.", b.grid}};
    const std::pair<const char *, u32> of_one[] = {
        {"%laneid", lane},
        {"%warpid", t / WIDTH},
        {"%lanemask_lt", (1u << lane) - 1},
        {"%lanemask_le", (2u << lane) - 1}};

    for (const auto &s : of_three)
        if (name.compare(0, std::strlen(s.first), s.first) == 0)
            return s.second[name.back() - 'x'];
    for (const auto &s : of_one)
        if (name == s.first)
            return s.second;
    stop("%s: a register that this interpreter does not know", name.c_str());
}

/* What a register holds before the first instruction. */
void fill(Warp &w)
{
    const Block &b = *w.block;
    u64 dynamic = (u64)(b.kernel->shared_bytes + 127) / 128 * 128;

    for (const Constant &c : b.kernel->constants)
        for (int l = 0; l < WIDTH; l++) {
            u64 x = c.what == Constant::NUMBER ? c.value
                    : c.what == Constant::PARAMETER
                        ? (u64)b.parameters + c.value
                    : c.what == Constant::DYNAMIC_SHARED
                        ? SHARED_BASE + dynamic
                        : special(b, c.name, w.index * WIDTH + l);
            if (c.to.bytes == 8)
                w.lane<u64>(c.to)[l] = x;
            else if (c.to.bytes == 4)
                w.lane<u32>(c.to)[l] = (u32)x;
            else
                w.set_predicate(c.to, 1u << l, x ? ALL : 0);
        }
}

void begin(Block &b)
{
    const Kernel &k = *b.kernel;
    int warps = (b.threads + WIDTH - 1) / WIDTH;
    int each = k.most_threads ? k.most_threads * k.blocks_per_sm : 0;
    /* What ptxas may give a thread, when it has to have a fixed number. */
    int given = each ? std::min(256, card().registers / each / 8 * 8) : 256;

    b.registers.assign((size_t)warps * (size_t)k.register_bytes + 64, POISON);
    u8 *first = (u8 *)(((u64)b.registers.data() + 63) / 64 * 64);
    b.unfenced.assign(b.shared.size() / 16 + 1, 0);
    std::fill(b.barriers, b.barriers + 16, NamedBarrier());
    b.boxes.clear();
    b.free_registers = 0;
    b.warps.clear();
    b.warps.resize((size_t)warps);
    for (int i = 0; i < warps; i++) {
        Warp &w = b.warps[(size_t)i];
        int here = std::min(WIDTH, b.threads - WIDTH * i);
        w.block = &b, w.index = i;
        w.registers = first + (s64)i * k.register_bytes;
        w.predicates.assign((size_t)k.predicates + 1, 0);
        w.local.assign((size_t)k.local_bytes * WIDTH, POISON);
        w.in_use.assign((size_t)k.register_bytes / (4 * WIDTH) + 2, 0);
        w.alive = here == WIDTH ? ALL : (1u << here) - 1;
        w.groups = {{w.alive, 0}};
        w.register_count = given;
        fill(w);
    }
}

[[noreturn]] void hangs(Block &b)
{
    std::string all;

    for (const Warp &w : b.warps)
        if (w.alive) {
            const Instruction &in =
                b.kernel->code[(size_t)std::max(w.groups[0].at - 1, 0)];
            all += "\n  warp " + std::to_string(w.index) +
                   (w.at_barrier ? " at a barrier, " : " asks again, ") +
                   in.where + ": " + in.text.substr(0, 80);
        }
    stop("%s, block (%u, %u, %u): nobody can go on%s", b.kernel->name.c_str(),
         b.id[0], b.id[1], b.id[2], all.c_str());
}

void land_one(Block &b, size_t which)
{
    Box box = b.boxes[which];

    b.boxes.erase(b.boxes.begin() + (s64)which);
    land(box);
}

/* What is under way when a block has ended. */
void end(Block &b)
{
    const Instruction &last = b.kernel->code.back();

    if (!b.boxes.empty())
        wrong(*b.boxes[0].by, *b.boxes[0].in,
              "the block ended before this had landed");
    for (Warp &w : b.warps) {
        if (w.products.any())
            wrong(w, last, "the block ended before a wgmma was over");
        for (int l = 0; l < WIDTH; l++) {
            if (w.copies[l].any())
                wrong(w, last, "the block ended before a cp.async had landed");
            w.boxes[l].commit();
            w.boxes[l].wait(0, land);
        }
    }
}
} // namespace

void run_block(Block &b)
{
    begin(b);
    std::vector<size_t> order(b.warps.size());
    std::iota(order.begin(), order.end(), 0);
    for (bool any = true; any;) {
        u64 before = b.progress;
        bool ran = false; /* to the end of its turn */
        any = false;
        if (random_order)
            for (size_t i = order.size(); i-- > 1;)
                std::swap(order[i], order[next_random(b, i + 1)]);
        for (size_t i : order) {
            Warp &w = b.warps[i];
            if (w.alive && !w.at_barrier)
                run_warp(w, random_order ? next_random(b, 2000) + 1 : 1 << 20);
            any |= w.alive != 0;
            ran |= w.alive && !w.at_barrier && !w.spins;
            if (random_order && !b.boxes.empty() && next_random(b, 4) == 0)
                land_one(b, next_random(b, b.boxes.size()));
        }
        if (!any || b.progress != before || ran)
            continue;
        if (b.boxes.empty())
            hangs(b);
        land_one(b, random_order ? next_random(b, b.boxes.size())
                                 : b.boxes.size() - 1);
    }
    end(b);
}
