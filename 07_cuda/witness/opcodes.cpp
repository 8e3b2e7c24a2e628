/* opcodes.cpp: the whole table of opcodes, and the few that are nothing here or
 * are the schedule's. */
#include <sstream>

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
        {"bra", {nothing, BRANCH, false}},
        {"exit", {nothing, EXIT, false}},
        {"ret", {nothing, EXIT, false}},
        /* A number: do they wait? */
        {"bar.sync", {nothing, BARRIER, false, {true}}},
        {"barrier.sync", {nothing, BARRIER, false, {true}}},
        {"bar.arrive", {nothing, BARRIER, false, {false}}},
        {"bar.warp.sync", {nothing, NAMED, false}},
        {"membar", {nothing, PLAIN, false}},
        {"fence.acq_rel", {nothing, PLAIN, false}},
        {"fence.sc", {nothing, PLAIN, false}},
        {"prefetch", {nothing, PLAIN, false}},
        {"nanosleep", {sleep, PLAIN, false}},
        {"trap", {trap, PLAIN, false}},
    };

    for (auto add : {add_integers, add_floats, add_memory, add_warp_wide,
                     add_copies, add_products})
        add(t);
    return t;
}

/* What a name's word says beside the operation: a kind of memory; or, GENERIC,
 * what is nothing here: how a number is rounded, who sees it, how many are. */
static const std::map<std::string, Space> beside = [] {
    std::map<std::string, Space> all = {
        {"shared", SHARED}, {"shared::cta", SHARED}, {"global", GLOBAL},
        {"const", GLOBAL},  {"local", LOCAL},
    };

    for (const char *word :
         {"rn", "approx", "full", "relaxed", "acquire", "release", "weak",
          "volatile", "nc", "cta", "gpu", "sys", "v2", "v4", "param"})
        all[word] = GENERIC;
    return all;
}();

/* A name stands for all that begin with it, unless a longer one is there; and
 * one that ends with .b32 for .u32, .s32 and .f32. */
Opcode opcode_of(const std::string &name, Space *space)
{
    static const Table table = made();
    std::istringstream words(name);
    std::string known;

    for (std::string word; std::getline(words, word, '.');) {
        auto found = beside.find(word);
        if (found == beside.end())
            known += (known.empty() ? "" : ".") + word;
        else if (found->second != GENERIC)
            *space = found->second;
    }
    while (!known.empty()) {
        size_t dot = known.rfind('.');
        std::string of_bits = known;
        if (dot != known.npos)
            of_bits[dot + 1] = 'b';
        for (const std::string &word : {known, of_bits})
            if (table.count(word))
                return table.at(word);
        known.resize(std::min(dot, known.size()) % known.size());
    }
    return {nullptr};
}
