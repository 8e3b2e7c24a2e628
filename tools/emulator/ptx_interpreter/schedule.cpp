/* schedule.cpp: runs a block. A warp runs until it must wait, then the next
 * warp runs. If the lanes of a warp have diverged, those with the smallest
 * program counter run first, so that the other lanes can join them.
 *
 * With PTX_MODE=late (the default) warps run in order, and loads by TMA are
 * executed when no warp can continue. With PTX_MODE=random the order of warps,
 * the number of steps of each, and the times of loads by TMA are random.
 * PTX_SEED is the seed. */
#include <climits>
#include <cstdlib>

#include "tools/emulator/ptx_interpreter/opcode.h"

static const bool random_order = [] {
    const char *given = std::getenv("PTX_MODE");
    std::string mode = given ? given : "late";

    if (mode != "late" && mode != "random")
        stop("PTX_MODE=%s: allowed are late and random", given);
    return mode == "random";
}();

namespace
{
u32 threads_left(const Block &b)
{
    u32 n = 0;

    for (const Warp &w : b.warps)
        n += (u32)__builtin_popcount(w.alive);
    return n;
}

/* Opens the barrier if all threads have reached it. */
void open_if_full(const Block &b, NamedBarrier &bar)
{
    u32 expected = bar.expected ? bar.expected : threads_left(b);

    if (bar.arrived == 0 || bar.arrived != expected)
        return;
    for (Warp *w : bar.waiting)
        w->at_barrier = false;
    bar = {};
}

/* bar.sync id, count waits until `count` threads have reached barrier id.
 * Without count it waits for all threads of the block that have not exited.
 * bar.arrive only counts the threads. */
template <bool waits> void reach_barrier(Warp &w, const Instruction &in, lanes)
{
    Block &b = *w.block;
    int lane = __builtin_ctz(w.alive);
    bool counted = in.o.size() > 1;
    u64 id = w.get(in.o[0], lane);
    u32 arriving = (u32)__builtin_popcount(w.alive), count = 0;

    if (counted) {
        arriving = WIDTH;
        count = (u32)w.get(in.o[1], lane);
    }
    if (id > 15 || (counted && (count % WIDTH || count > (u32)b.threads)))
        wrong(w, in,
              "barrier %d for %u threads; 0 to 15 and at most %d, a multiple "
              "of 32, are allowed",
              (int)id, count, b.threads);
    NamedBarrier &bar = b.barriers[id];
    if (counted && bar.arrived && bar.expected != count)
        wrong(w, in, "barrier %d for %u threads here, for %u elsewhere",
              (int)id, count, bar.expected);
    bar.expected = count;
    bar.arrived += arriving;
    b.progress++;
    w.at_barrier = waits;
    if (waits)
        bar.waiting.push_back(&w);
    open_if_full(b, bar);
}

/* The other running lanes continue later, after the branch. */
void branch(Warp &w, const Instruction &in, lanes active)
{
    EACH (l, w.running)
        w.at[l] = w.next;
    w.running = active;
    w.next = in.target;
}

void leave(Warp &w, const Instruction &, lanes active)
{
    w.alive &= ~active;
    w.running &= ~active;
    w.block->progress++;
    for (NamedBarrier &bar : w.block->barriers)
        open_if_full(*w.block, bar);
}

/* Chooses the lanes with the smallest program counter at which they can
 * continue. Lanes at an instruction of the whole warp may have to wait. */
void choose(Warp &w)
{
    const std::vector<Instruction> &code = w.block->kernel->code;
    lanes first = 0;
    int where = 0;

    for (lanes left = w.alive; left; left &= ~w.running) {
        w.next = INT_MAX;
        w.running = 0;
        EACH (l, left)
            w.next = std::min(w.next, w.at[l]);
        EACH (l, left)
            w.running |= (lanes)(w.at[l] == w.next) << l;
        const Instruction &in = code[(size_t)w.next];
        lanes needed = in.op.kind == PLAIN ? 0 : w.alive;
        if (in.op.kind == NAMED)
            needed &= (lanes)w.get(in.o.back(), __builtin_ctz(w.running));
        if ((w.running & needed) == needed)
            return;
        if (!first) {
            first = w.running;
            where = w.next;
        }
    }
    wrong(w, code[(size_t)where],
          "lanes %08x of a warp are here, and the others are not", first);
}

void step(Warp &w)
{
    const Instruction &in = w.block->kernel->code[(size_t)w.next++];
    lanes active = w.running;

    for (const Operand &p : in.guard)
        active &= w.true_in(p) ^ (in.guard_not ? ALL : 0);
    w.steps++;
    if (!active)
        return;
    if (in.op.kind == TOGETHER && active != ALL)
        wrong(w, in, "only lanes %08x of a warp execute this, and all 32 must",
              active);
    if (w.any_in_use)
        check_in_use(w, in);
    in.op.run(w, in, active);
}

void run_warp(Warp &w, u64 max_steps)
{
    u64 until = w.steps + max_steps;
    auto continues = [&] {
        return w.alive && !w.at_barrier && !w.spins && w.steps < until;
    };

    w.spins = false;
    while (continues()) {
        choose(w);
        do
            step(w);
        while (w.running == w.alive && continues());
        EACH (l, w.running)
            w.at[l] = w.next;
    }
}

/* Sets the special registers, in the order of `specials`, and the constants. */
void fill(Warp &w)
{
    const Block &b = *w.block;
    u64 dynamic = SHARED_BASE + (u64)b.kernel->shared_bytes;

    for (u32 l = 0; l < WIDTH; l++) {
        u32 t = (u32)w.index * WIDTH + l, row = t / b.size[0];
        Register *to = w.registers;
        for (const Three &special :
             {Three{t % b.size[0], row % b.size[1], row / b.size[1]},
              b.size,
              b.id,
              b.grid,
              {l},
              {(u32)w.index}})
            for (u32 number : special)
                (*to++)[l] = number;
        for (const auto &c : b.kernel->constants)
            w.set(c.second, (int)l, c.first == DYNAMIC ? dynamic : c.first);
    }
}

void begin(Block &b)
{
    const Kernel &k = *b.kernel;
    int warps = (b.threads + WIDTH - 1) / WIDTH;
    int each = k.max_threads ? k.max_threads * k.blocks_per_sm : 0;

    Register never;
    never.fill(~0ull);
    b.registers.assign((size_t)warps * k.registers, never);
    b.unfenced.assign(b.shared.size() / 8 + 1, 0);
    b.barriers.assign(16, {});
    b.boxes.clear();
    b.free_registers = 0;
    b.warps.assign((size_t)warps, {});
    for (int i = 0; i < warps; i++) {
        Warp &w = b.warps[(size_t)i];
        int here = std::min(WIDTH, b.threads - WIDTH * i);
        w.block = &b, w.index = i;
        w.registers = &b.registers[(size_t)i * k.registers];
        w.local.assign((size_t)k.local_bytes * WIDTH, POISON);
        w.in_use.assign(k.registers, Warp::FREE);
        w.alive = ALL >> (WIDTH - here);
        /* The number of registers that ptxas may give a thread. */
        w.register_count =
            each ? std::min(CARDS_REGISTERS / each / 8 * 8, 256) : 256;
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
                   (w.at_barrier ? " at a barrier, " : " polls, ") + in.where +
                   ": " + in.text.substr(0, 80);
        }
    stop("%s, block (%u, %u, %u): no warp can continue%s",
         b.kernel->name.c_str(), b.id[0], b.id[1], b.id[2], all.c_str());
}

void execute_one_load(Block &b)
{
    size_t all = b.boxes.size();
    size_t which = random_order ? b.random() % all : all - 1;
    Late box = b.boxes[which];

    b.boxes.erase(b.boxes.begin() + (s64)which);
    box.execute();
}

/* Executes pending additions by TMA. Another pending operation is an error. */
void end(Block &b)
{
    auto check = [](const std::vector<Late> &all) {
        for (const Late &late : all)
            wrong(*late.by, *late.in,
                  "the block ended without a wait for this");
    };

    check(b.boxes);
    for (Warp &w : b.warps) {
        check(w.products.all);
        for (int l = 0; l < WIDTH; l++) {
            check(w.copies[l].all);
            w.boxes[l].finish(~0ull);
        }
    }
}
} // namespace

const std::vector<std::string> specials = {"%tid",    "%ntid",   "%ctaid",
                                           "%nctaid", "%laneid", "%warpid"};

void run_block(Block &b)
{
    begin(b);
    std::vector<Warp *> order;
    for (Warp &w : b.warps)
        order.push_back(&w);
    for (bool any = true; any;) {
        u64 before = b.progress;
        bool ran = false; /* true if a warp can continue after its turn */
        any = false;
        if (random_order)
            std::shuffle(order.begin(), order.end(), b.random);
        for (Warp *w : order) {
            if (w->alive && !w->at_barrier)
                run_warp(*w, random_order ? b.random() % 2000 + 1 : 1 << 20);
            any |= w->alive != 0;
            ran |= w->alive && !w->at_barrier && !w->spins;
            if (random_order && !b.boxes.empty() && b.random() % 4 == 0)
                execute_one_load(b);
        }
        if (!any || b.progress != before || ran)
            continue;
        if (b.boxes.empty())
            hangs(b);
        execute_one_load(b);
    }
    end(b);
}

void add_schedule(Table &t)
{
    t["bra"] = {branch, PLAIN, false};
    t["exit"] = t["ret"] = {leave, PLAIN, false};
    t["bar.sync"] = t["barrier.sync"] = {reach_barrier<true>, MEETING, false};
    t["bar.arrive"] = {reach_barrier<false>, MEETING, false};
    t["bar.warp.sync"] = {nothing, NAMED, false};
}
