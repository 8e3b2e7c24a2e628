/*
 * schedule.cpp: runs a block. A warp runs until it waits for something; then
 * it is the next one's turn. Of lanes that went different ways those that are
 * furthest behind go on, so that they meet again.
 *
 * PTX_MODE=late, as it is without: the warps in their order, and what is
 * asynchronous lands when nothing else can go on. PTX_MODE=random: in an order
 * that PTX_SEED says, for so long as it says, and boxes land in between.
 */
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <numeric>

#include "07_cuda/witness/machine.h"

static const bool random_order = [] {
    const char *given = std::getenv("PTX_MODE");
    std::string mode = given ? given : "late";

    if (mode != "late" && mode != "random")
        stop("PTX_MODE=%s: allowed are late and random", given);
    return mode == "random";
}();

namespace
{
u64 random(Block &b, u64 below)
{
    b.random ^= b.random << 13;
    b.random ^= b.random >> 7;
    b.random ^= b.random << 17;
    return b.random % below;
}

/* --- A warp ---------------------------------------------------------------- */

/* bar.sync id, count: count threads in all, or all of the block. */
void at_barrier(Warp &w, const Instruction &in)
{
    Block &b = *w.block;
    int lane = __builtin_ctz(w.alive);
    bool counted = in.o.size() > 1;
    u64 id = w.get(in.o[0], lane);
    u32 here = (u32)__builtin_popcount(w.alive), count = 0;

    if (counted) {
        here = WIDTH;
        count = (u32)w.get(in.o[1], lane);
    } else
        for (const Warp &v : b.warps)
            count += (u32)__builtin_popcount(v.alive);
    if (id > 15 || (counted && (count % WIDTH || count > (u32)b.threads)))
        wrong(w, in, "barrier %d for %u threads: the block has %d", (int)id,
              count, b.threads);
    NamedBarrier &bar = b.barriers[id];
    if (bar.arrived && counted && bar.expected != count)
        wrong(w, in, "barrier %d for %u threads here, for %u elsewhere",
              (int)id, count, bar.expected);
    bar.expected = count;
    bar.arrived += here;
    b.progress++;
    if (bar.arrived > count)
        wrong(w, in, "barrier %d: %u threads came, for %u", (int)id,
              bar.arrived, count);
    if (bar.arrived == count) {
        for (Warp *v : bar.waiting)
            v->at_barrier = false;
        bar = {};
    } else if (in.op.numbers[0]) {
        bar.waiting.push_back(&w);
        w.at_barrier = true;
    }
}

struct Group { /* lanes that stand at one instruction */
    lanes who;
    int at;
};

/* Those furthest behind, of those that can go on: an instruction of the whole
 * warp needs the others too. */
Group next_group(Warp &w)
{
    const std::vector<Instruction> &code = w.block->kernel->code;
    Group g = {}, first = {};

    for (lanes left = w.alive; left; left &= ~g.who) {
        g = {0, INT_MAX};
        EACH (l, left)
            g.at = std::min(g.at, w.at[l]);
        EACH (l, left)
            g.who |= (lanes)(w.at[l] == g.at) << l;
        const Instruction &in = code[(size_t)g.at];
        lanes needed = w.alive;
        if (in.op.kind == NAMED)
            needed &= (lanes)w.get(in.o.back(), __builtin_ctz(g.who));
        if (!waits(in.op.kind) || (g.who & needed) == needed)
            return g;
        if (!first.who)
            first = g;
    }
    wrong(w, code[(size_t)first.at],
          "lanes %08x of a warp are here, and the others are not", first.who);
}

/* One instruction. A branch can leave some lanes behind. */
void step(Warp &w, Group &g)
{
    const Instruction &in = w.block->kernel->code[(size_t)g.at];
    lanes who = g.who;

    for (const Operand &p : in.guard)
        who &= w.true_in(p) ^ (in.guard_not ? ALL : 0);
    w.steps++;
    g.at++;
    if (!who)
        return;
    if (in.op.kind == TOGETHER && who != ALL)
        wrong(w, in, "lanes %08x of a warp do this alone", who);
    if (w.any_in_use)
        check_in_use(w, in);
    switch (in.op.kind) {
    case BRANCH:
        EACH (l, g.who)
            w.at[l] = g.at;
        g = {who, in.target};
        break;
    case EXIT:
        w.alive &= ~who;
        g.who &= ~who;
        w.block->progress++;
        break;
    case BARRIER:
        at_barrier(w, in);
        break;
    default:
        in.op.run(w, in, who);
        if (w.again)
            g.at--;
        w.again = false;
    }
}

void run_warp(Warp &w, u64 most)
{
    u64 until = w.steps + most;
    auto goes_on = [&] {
        return w.alive && !w.at_barrier && !w.spins && w.steps < until;
    };

    w.spins = false;
    while (goes_on()) {
        Group g = next_group(w);
        do
            step(w, g);
        while (g.who == w.alive && goes_on());
        EACH (l, g.who)
            w.at[l] = g.at;
    }
}

/* --- A block ----------------------------------------------------------------- */

/* What registers hold before the first instruction: the special ones, in the order
 * of their names, and numbers. */
void fill(Warp &w)
{
    const Block &b = *w.block;

    for (u32 l = 0; l < WIDTH; l++) {
        u32 t = (u32)w.index * WIDTH + l, row = t / b.size[0];
        u32 *to = (u32 *)w.registers + l;
        for (const Three &special :
             {Three{t % b.size[0], row % b.size[1], row / b.size[1]},
              b.size,
              b.id,
              b.grid,
              {l},
              {(u32)w.index},
              {(1u << l) - 1},
              {(2u << l) - 1}})
            for (u32 number : special) {
                *to = number;
                to += WIDTH;
            }
        for (const Constant &c : b.kernel->constants)
            w.set(c.to, (int)l, c.value);
    }
}

void begin(Block &b)
{
    const Kernel &k = *b.kernel;
    int warps = (b.threads + WIDTH - 1) / WIDTH;
    int each = k.most_threads ? k.most_threads * k.blocks_per_sm : 0;

    b.registers.assign((size_t)warps * (size_t)k.register_bytes + 64, POISON);
    u8 *first = (u8 *)(((u64)b.registers.data() + 63) / 64 * 64);
    b.unfenced.assign(b.shared.size() / 8 + 1, 0);
    b.barriers.assign(16, {});
    b.boxes.clear();
    b.free_registers = 0;
    b.warps.assign((size_t)warps, {});
    for (int i = 0; i < warps; i++) {
        Warp &w = b.warps[(size_t)i];
        int here = std::min(WIDTH, b.threads - WIDTH * i);
        w.block = &b, w.index = i;
        w.registers = first + (s64)i * k.register_bytes;
        w.local.assign((size_t)k.local_bytes * WIDTH, POISON);
        w.in_use.assign((size_t)k.register_bytes / (4 * WIDTH) + 2, Warp::FREE);
        w.alive = ALL >> (WIDTH - here);
        /* What ptxas may give a thread, when it has to have a fixed number. */
        w.register_count = each ? CARDS_REGISTERS / each / 8 * 8 : 256;
        w.register_count = std::min(w.register_count, 256);
        fill(w);
    }
}

[[noreturn]] void hangs(Block &b)
{
    std::string all;

    for (Warp &w : b.warps)
        if (w.alive) {
            int at = w.at[__builtin_ctz(w.alive)];
            const Instruction &in = b.kernel->code[(size_t)std::max(at - 1, 0)];
            all += "\n  warp " + std::to_string(w.index) +
                   (w.at_barrier ? " at a barrier, " : " asks again, ") +
                   in.where + ": " + in.text.substr(0, 80);
        }
    stop("%s, block (%u, %u, %u): nobody can go on%s", b.kernel->name.c_str(),
         b.id[0], b.id[1], b.id[2], all.c_str());
}

void land_one(Block &b, size_t which)
{
    Late box = b.boxes[which];

    b.boxes.erase(b.boxes.begin() + (s64)which);
    box.happens();
}

/* What is under way when a block has ended. */
void end(Block &b)
{
    std::vector<Late> all = b.boxes;

    for (Warp &w : b.warps) {
        all.insert(all.end(), w.products.all.begin(), w.products.all.end());
        for (int l = 0; l < WIDTH; l++) {
            Pending &copies = w.copies[l];
            all.insert(all.end(), copies.all.begin(), copies.all.end());
            w.boxes[l].finish(~0ull);
        }
    }
    for (const Late &late : all)
        wrong(*late.by, *late.in, "the block ended before this had landed");
}
} // namespace

const std::vector<std::string> specials = {
    "%tid",    "%ntid",   "%ctaid",       "%nctaid",
    "%laneid", "%warpid", "%lanemask_lt", "%lanemask_le"};

void run_block(Block &b)
{
    begin(b);
    std::vector<size_t> order(b.warps.size());
    std::iota(order.begin(), order.end(), 0);
    for (bool any = true; any;) {
        u64 before = b.progress;
        bool ran = false; /* to the end of its turn */
        any = false;
        for (size_t i = order.size(); random_order && i-- > 1;)
            std::swap(order[i], order[random(b, i + 1)]);
        for (size_t i : order) {
            Warp &w = b.warps[i];
            if (w.alive && !w.at_barrier)
                run_warp(w, random_order ? random(b, 2000) + 1 : 1 << 20);
            any |= w.alive != 0;
            ran |= w.alive && !w.at_barrier && !w.spins;
            if (random_order && !b.boxes.empty() && random(b, 4) == 0)
                land_one(b, random(b, b.boxes.size()));
        }
        if (!any || b.progress != before || ran)
            continue;
        if (b.boxes.empty())
            hangs(b);
        land_one(b,
                 random_order ? random(b, b.boxes.size()) : b.boxes.size() - 1);
    }
    end(b);
}
