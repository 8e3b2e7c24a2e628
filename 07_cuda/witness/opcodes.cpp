/* opcodes.cpp: the table of opcodes: an exact name, or a name's first word. */
#include "07_cuda/witness/module.h"
#include "07_cuda/witness/opcode.h"

namespace
{
/* nanosleep: somebody else may go on. */
void rest(Warp &w, const Instruction &, lanes)
{
    w.spins = true;
}

void trap(Warp &w, const Instruction &in, lanes)
{
    wrong(w, in, "the kernel stopped itself");
}

/* bar.sync a, n; bar.arrive a, n; barrier.cta.sync... */
Opcode barrier_opcode(const Words &name)
{
    bool sync = has(name, "sync"), arrives = has(name, "arrive");

    if (name[1] == "warp") /* all lanes of a warp are here: that is all */
        return {nothing, {}, TOGETHER, 0};
    return {sync || arrives ? nothing : nullptr, {}, BARRIER, 0, {sync}};
}
Opcode branch_opcode(const Words &)
{
    return {nothing, {}, BRANCH, 0};
}
Opcode exit_opcode(const Words &)
{
    return {nothing, {}, EXIT, 0};
}
Opcode nothing_opcode(const Words &)
{
    return {nothing, {}, PLAIN, 0};
}
Opcode rest_opcode(const Words &)
{
    return {rest, {}, PLAIN, 0};
}
Opcode trap_opcode(const Words &)
{
    return {trap, {}, PLAIN, 0};
}

using Family = Opcode (*)(const Words &);

const std::map<std::string, Family> families = {
    {"activemask", vote_opcode},
    {"atom", atomic_opcode},
    {"bar", barrier_opcode},
    {"barrier", barrier_opcode},
    {"bra", branch_opcode},
    {"cp", cp_opcode},
    {"cvt", conversion_opcode},
    {"cvta", move_opcode},
    {"exit", exit_opcode},
    {"fence", fence_opcode},
    {"ld", memory_opcode},
    {"ldmatrix", ldmatrix_opcode},
    {"ldu", memory_opcode},
    {"mbarrier", mbarrier_opcode},
    {"membar", nothing_opcode},
    {"mma", mma_opcode},
    {"mov", move_opcode},
    {"nanosleep", rest_opcode},
    {"prefetch", nothing_opcode},
    {"red", atomic_opcode},
    {"redux", vote_opcode},
    {"ret", exit_opcode},
    {"setmaxnreg", setmaxnreg_opcode},
    {"shfl", shuffle_opcode},
    {"st", memory_opcode},
    {"trap", trap_opcode},
    {"vote", vote_opcode},
    {"wgmma", wgmma_opcode},
};

Table made()
{
    Table t;

    add_arithmetic(t);
    add_floats(t);
    return t;
}
} // namespace

Opcode opcode_of(const std::string &name)
{
    static const Table table = made();
    Words words = split(name, '.');
    auto exact = table.find(name);
    auto family = families.find(words[0]);

    if (exact != table.end())
        return exact->second;
    return family == families.end() ? Opcode{nullptr, {}}
                                    : family->second(words);
}
