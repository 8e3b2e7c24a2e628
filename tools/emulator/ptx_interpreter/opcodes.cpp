/* opcodes.cpp: builds and searches the table of opcodes. */
#include <set>

#include "tools/emulator/ptx_interpreter/module.h"
#include "tools/emulator/ptx_interpreter/opcode.h"

static void trap(Warp &w, const Instruction &in, lanes)
{
    wrong(w, in, "the kernel executed a trap");
}

static Table made()
{
    Table t = {{"trap", {trap, PLAIN, false}}};

    for (const char *name :
         {"membar", "fence.acq_rel", "fence.sc", "prefetch", "nanosleep"})
        t[name] = {nothing, PLAIN, false};
    for (auto add : {add_numbers, add_memory, add_schedule, add_warp_wide,
                     add_copies, add_products})
        add(t);
    return t;
}

/* True for words without effect here, such as rounding, memory and scope. */
static bool left_out(const std::string &word)
{
    static const std::set<std::string> all = {
        "rn",     "approx",      "full",   "relaxed", "acquire", "release",
        "weak",   "volatile",    "nc",     "cta",     "gpu",     "sys",
        "shared", "shared::cta", "global", "const",   "local",   "param",
        "v2",     "v4",          "aligned"};
    bool shape = word[0] == 'm' && std::isdigit((u8)word[1]);

    return shape || all.count(word);
}

/* Finds the longest entry with which the name begins. An entry that ends with
 * .b32 also matches .u32, .s32 and .f32. */
Opcode opcode_of(const std::string &name)
{
    static const Table table = made();
    std::string known;

    for (const std::string &word : words(name, "."))
        if (!left_out(word))
            known += (known.empty() ? "" : ".") + word;
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
