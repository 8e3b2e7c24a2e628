/* opcodes.cpp: the whole table of opcodes, and the few that are nothing here or
 * are the schedule's. */
#include "07_cuda/witness/module.h"
#include "07_cuda/witness/opcode.h"

/* Somebody else may go on. */
static void sleep(Warp &w, const Instruction &, lanes)
{
    w.spins = true;
}

static void trap(Warp &w, const Instruction &in, lanes)
{
    wrong(w, in, "the kernel stopped itself");
}

static Table made()
{
    Table t = {
        {"bra", {nothing, BRANCH, 0}},
        {"exit", {nothing, EXIT, 0}},
        {"ret", {nothing, EXIT, 0}},
        /* A number: do they wait? */
        {"bar.sync", {nothing, BARRIER, 0, {true}}},
        {"barrier.sync", {nothing, BARRIER, 0, {true}}},
        {"bar.arrive", {nothing, BARRIER, 0, {false}}},
        {"bar.warp.sync", {nothing, NAMED, 0}},
        {"membar", {nothing, PLAIN, 0}},
        {"fence.acq_rel", {nothing, PLAIN, 0}},
        {"fence.sc", {nothing, PLAIN, 0}},
        {"prefetch", {nothing, PLAIN, 0}},
        {"nanosleep", {sleep, PLAIN, 0}},
        {"trap", {trap, PLAIN, 0}},
    };

    for (auto add : {add_integers, add_floats, add_memory, add_warp_wide,
                     add_copies, add_tma, add_products})
        add(t);
    return t;
}

/* How it is rounded: to nearest, here also what a GPU has within some ulp. */
static bool is_rounding(const std::string &word)
{
    return word == "rn" || word == "approx" || word == "full";
}

Opcode opcode_of(const std::string &name)
{
    static const Table table = made();
    Words words = split(name, '.');
    std::string known;

    for (const std::string &word : words)
        if (!is_rounding(word))
            known += (known.empty() ? "" : ".") + word;
    while (!known.empty()) {
        auto found = table.find(known);
        if (found != table.end() && found->second.by_name)
            return found->second.by_name(words);
        if (found != table.end())
            return found->second;
        known.resize(std::min(known.rfind('.'), known.size()) % known.size());
    }
    return {nullptr};
}
