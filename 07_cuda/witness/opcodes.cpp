/* opcodes.cpp: the whole table of opcodes, and the few that are nothing here or
 * are the schedule's. */
#include "07_cuda/witness/module.h"
#include "07_cuda/witness/opcode.h"

static Table made()
{
    Table t = {
        {"bra", {nothing, {}, BRANCH, 0}},
        {"exit", {nothing, {}, EXIT, 0}},
        {"ret", {nothing, {}, EXIT, 0}},
        /* A number: do they wait? */
        {"bar.sync", {nothing, {}, BARRIER, 0, {true}}},
        {"barrier.sync", {nothing, {}, BARRIER, 0, {true}}},
        {"bar.arrive", {nothing, {}, BARRIER, 0, {false}}},
        {"bar.warp.sync", {nothing, {}, NAMED, 0}},
        {"membar", {nothing, {}, PLAIN, 0}},
        {"fence.acq_rel", {nothing, {}, PLAIN, 0}},
        {"fence.sc", {nothing, {}, PLAIN, 0}},
        {"prefetch", {nothing, {}, PLAIN, 0}},
        {"nanosleep", /* somebody else may go on */
         {[](Warp &w, const Instruction &, lanes) { w.spins = true; },
          {},
          PLAIN,
          0}},
        {"trap",
         {[](Warp &w, const Instruction &in, lanes) {
              wrong(w, in, "the kernel stopped itself");
          },
          {},
          PLAIN,
          0}},
    };

    add_integers(t);
    add_floats(t);
    add_memory(t);
    add_warp_wide(t);
    add_copies(t);
    add_tma(t);
    add_wgmma(t);
    return t;
}

Opcode opcode_of(const std::string &name)
{
    static const Table table = made();
    std::string known = name;

    for (;;) {
        auto found = table.find(known);
        if (found != table.end())
            return found->second.by_name
                       ? found->second.by_name(split(name, '.'))
                       : found->second;
        size_t dot = known.rfind('.');
        if (dot == std::string::npos)
            return {nullptr};
        known.resize(dot);
    }
}
