/* findings.cpp: stores and prints mistakes of these kinds: "out of bounds",
 * "host variable", "uninitialised", "race" (or "race on NAME"), "barrier",
 * "warp", "misaligned", "cp.async", "mbarrier", "TMA", "wgmma", "proxy",
 * "registers", "input", "deadlock", "endless", "launch", "host call",
 * "host access", "not synchronised", "unchecked error". */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/messages/messages.h"
#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
struct Finding {
    std::string kind, file, text;
    int line;
    std::string where; /* callers, and the place in the grid */
    uint32_t read = 0; /* see defer_finding() */
};

std::deque<Finding> findings, deferred;
std::set<std::tuple<std::string, int, std::string>> notes;
bool print = true;
unsigned not_printed;

bool reported(const std::string &kind, emu::Site at)
{
    for (const Finding &f : findings)
        if (f.line == at.line && f.file == at.file && f.kind == kind)
            return true;
    return false;
}

/* For one array in one kernel cuda-check prints at most two races and one
 * uninitialised read, since they usually have one cause. After a launch that
 * ended early it prints no uninitialised reads. */
bool is_repeated(const Finding &f)
{
    static std::map<std::string, unsigned> printed;
    bool race = f.kind.rfind("race", 0) == 0, unset = f.kind == "uninitialised";
    if (!emu::summarised || !(race || unset))
        return false;
    if (unset && emu::any_launch_failed())
        return true;
    std::string kernel = emu::running_kernel ? emu::running_kernel : "";
    unsigned n = printed[kernel + "\n" + f.kind +
                         (race ? "" : f.text.substr(0, f.text.find(" + ")))]++;
    return n > 1 || (unset && n > 0);
}

void add(const Finding &f)
{
    bool repeated = is_repeated(f);
    emu::watch_exit();
    not_printed += repeated;
    findings.push_back(f);
    if (!print || repeated)
        return;
    emu::hide_progress();
    if (f.line)
        fprintf(stderr, "%s:%d: ", f.file.c_str(), f.line);
    fprintf(stderr, "%s: %s%s\n", f.kind.c_str(), f.text.c_str(),
            f.where.c_str());
}

void add(const char *kind, emu::Place place, const char *format,
         va_list arguments)
{
    char text[1500];
    emu::Site at = place.resolve();

    if (reported(kind, at))
        return;
    vsnprintf(text, sizeof text, format, arguments);
    add({kind, at.file, text, at.line,
         emu::callers(place.pc) + emu::place_in_grid()});
}

/* Prints the notes, except for lines with a race. */
void print_notes()
{
    std::set<std::pair<std::string, int>> races;
    for (const Finding &f : findings)
        if (f.kind.rfind("race", 0) == 0)
            races.insert({f.file, f.line});
    for (const auto &[file, line, text] : notes)
        if (!races.count({file, line}))
            fprintf(stderr, "%s:%d: note: %s\n", file.c_str(), line,
                    text.c_str());
}

/* Prints the last messages, and exits with failure if there are findings. */
void fail_at_exit()
{
    emu::report_unchecked_error();
    emu::hide_progress();
    if (emu::summarised) {
        print_notes();
        if (not_printed)
            fprintf(stderr,
                    "(findings that are not printed, because they name the "
                    "same arrays or follow a launch that ended early: %u)\n",
                    not_printed);
        emu::print_summary();
    }
    if (findings.empty())
        return;
    if (print && !emu::summarised)
        fprintf(stderr, "cuda_on_cpu: %zu mistake%s found\n", findings.size(),
                findings.size() == 1 ? "" : "s");
    fflush(nullptr);
    _exit(emu::summarised ? emu::status_found : EXIT_FAILURE);
}
} // namespace

void emu::watch_exit()
{
    static bool done;
    if (!done)
        atexit(fail_at_exit);
    done = true;
}

emu::Site emu::Place::resolve() const
{
    return pc ? source_line(pc) : site;
}

void emu::finding(const char *kind, Place place, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(kind, place, format, arguments);
    va_end(arguments);
}

void emu::fatal(cudaError_t error, const char *kind, Place place,
                const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(kind, place, format, arguments);
    va_end(arguments);
    kill_launch(error);
}

void emu::defer_finding(const std::string &kind, uintptr_t pc,
                        const std::string &text, uint32_t read)
{
    Site at = source_line(pc);
    bool seen = reported(kind, at);

    for (const Finding &f : deferred)
        seen |= f.line == at.line && f.file == at.file && f.kind == kind &&
                f.read == read;
    if (!seen)
        deferred.push_back({kind, at.file, text, at.line,
                            callers(pc) + place_in_grid(), read});
}

void emu::drop_uninitialised(uintptr_t pc)
{
    Site at = source_line(pc);

    for (size_t i = deferred.size(); i-- > 0;)
        if (deferred[i].line == at.line && deferred[i].file == at.file &&
            deferred[i].kind == "uninitialised")
            deferred.erase(deferred.begin() + (long)i);
}

void emu::print_deferred()
{
    for (const Finding &f : deferred)
        if (!reported(f.kind, {f.file.c_str(), f.line}) &&
            !(f.read && is_swap_read(f.read)))
            add(f);
    deferred.clear();
}

std::string emu::thread_name(unsigned thread)
{
    Index i = fibers[thread].index, dim = builtins.block_dim;
    char name[40];
    if (summarised && dim.y * dim.z == 1)
        return std::to_string(i.x);
    snprintf(name, sizeof name, "(%u,%u,%u)", i.x, i.y, i.z);
    return name;
}

std::string emu::describe_memory(const Shadow &s, size_t offset)
{
    if (s.array)
        return s.array->name + " + " + std::to_string(offset) + " bytes";
    return shared_name(offset);
}

void emu::note(Place place, const std::string &text)
{
    Site at = place.resolve();
    notes.insert({at.file, at.line, text});
}

size_t cuda_on_cpu_findings(void)
{
    return findings.size();
}

cuda_finding cuda_on_cpu_finding(size_t i)
{
    const Finding &f = findings[i];
    size_t where = std::min(f.where.find("in kernel "), f.where.size());
    return {f.kind.c_str(), f.file.c_str(), f.line, f.text.c_str(),
            f.where.c_str() + where};
}

void cuda_on_cpu_forgive(void)
{
    findings.clear();
}

void cuda_on_cpu_print_findings(int p)
{
    print = p != 0;
}
