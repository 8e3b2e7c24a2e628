/* requests.cpp: records the accesses of a warp's lanes by instruction; see
 * memory.h. banks.cpp counts them. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/emulator/cuda_on_cpu/memory/memory.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "07_cuda/emulator/cuda_on_cpu/memory/banks.h"
#include "07_cuda/emulator/cuda_on_cpu/machine.h"

namespace
{
using emu::Instruction;

/* The key contains pc, size and memory: a cp.async has two accesses, and a
 * struct's copy has pieces of several sizes. */
std::unordered_map<uintptr_t, Instruction> instructions;
std::vector<Instruction *> noted;

} // namespace

void emu::note_request(uintptr_t pc, bool global, size_t address, size_t bytes)
{
    static uintptr_t last_key;
    static Instruction *last; /* unordered_map never moves its elements */
    uintptr_t key = 64 * pc + 2 * bytes + global;
    if (key != last_key) {
        last = &instructions[key];
        last_key = key;
    }
    if (!last->noted) {
        last->noted = true;
        last->global = global;
        last->bytes = bytes;
        noted.push_back(last);
    }
    last->lane[running_thread() % 32].push_back(address);
}

void emu::count_requests()
{
    for (Instruction *i : noted) {
        size_t n = 0;
        for (auto &lane : i->lane)
            n = std::max(n, lane.size());
        for (size_t k = 0; k < n; k++) {
            i->requests++;
            if (i->global)
                count_global(*i, k);
            else
                count_shared(*i, k);
        }
        for (auto &lane : i->lane)
            lane.clear();
        i->noted = false;
    }
    noted.clear();
}

void emu::reset_requests()
{
    for (auto &entry : instructions) {
        Instruction &i = entry.second;
        i.requests = i.needed = i.best = 0;
        i.noted = false;
        for (auto &lane : i.lane)
            lane.clear();
    }
    noted.clear();
}

/* Adds up the instructions of each line. */
void emu::report_requests(FILE *to)
{
    struct Sum {
        uint64_t requests, needed, best;
    };
    std::map<std::string, Sum> lines;
    for (auto &entry : instructions) {
        const Instruction &i = entry.second;
        if (!i.requests)
            continue;
        Site s = source_line(entry.first / 64);
        char name[120];
        snprintf(name, sizeof name, "%s:%-4d %s", base_name(s.file), s.line,
                 i.global ? "global" : "shared");
        Sum &sum = lines[name];
        sum.requests += i.requests;
        sum.needed += i.needed;
        sum.best += i.best;
    }
    for (auto &entry : lines) {
        const Sum &s = entry.second;
        if (s.needed == s.best)
            continue;
        bool global = entry.first.find("global") != std::string::npos;
        fprintf(to, "    %-28s %6.2f %s a request, %.2f at best\n",
                entry.first.c_str(), (double)s.needed / (double)s.requests,
                global ? "sectors" : "wavefronts",
                (double)s.best / (double)s.requests);
    }
}
