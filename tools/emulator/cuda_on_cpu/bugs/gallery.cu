/* gallery.cu: runs the planted bugs of this folder, or only the bug that the
 * argument names. Prints each source, the emulator's findings, and the reason.
 * With the argument --quiet, prints only bugs that are not found, and a total.
 * Returns 1 if a bug is not found, or if no bug has this name. */
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

#include <string.h>

#include <fstream>
#include <sstream>
#include <string>

#include <cuda_on_cpu.h>

namespace
{
/* A bug with its description in the .cu file. */
struct Exhibit {
    std::string name, kind, why;
    std::string expected; /* right value of b[0], if the kind is "wrong
                           * numbers" */
    std::vector<std::string> code;
    int first_line, expected_line;
};

/* Reads a bug's source. The source begins at the last comment with a [name]
 * before the bug's line, and ends at the first empty line after that line. */
Exhibit read(const Bug &bug)
{
    std::ifstream file(bug.file);
    std::string line;
    Exhibit e = {};
    bool in_comment = false;
    for (int n = 1; std::getline(file, line); n++) {
        size_t end = line.find(']');
        if (n > bug.line && line.empty())
            break;
        if (line.compare(0, 4, "/* [") == 0 && end != std::string::npos) {
            e = {};
            e.name = line.substr(4, end - 4);
            e.kind = line.substr(end + 2);
            in_comment = true;
        } else if (in_comment) {
            end = line.find("*/");
            in_comment = end == std::string::npos;
            if (end > 2)
                e.why += line.substr(2, end - 2);
        } else {
            if (e.code.empty())
                e.first_line = n;
            if (line.find("// <- here") != std::string::npos)
                e.expected_line = n;
            e.code.push_back(line);
        }
    }
    if (e.kind.compare(0, 13, "wrong numbers") == 0)
        e.expected = e.kind.substr(e.kind.rfind(' ') + 1);
    return e;
}

/* Prints text in lines of at most 78 columns, indented by two. */
void print_wrapped(const std::string &text)
{
    std::istringstream words(text);
    std::string word, line = " ";
    while (words >> word) {
        if (line.size() + 1 + word.size() > 78) {
            printf("%s\n", line.c_str());
            line = " ";
        }
        line += " " + word;
    }
    printf("%s\n", line.c_str());
}

void print(const Exhibit &e, const std::string &result)
{
    printf("\n%s: %s\n\n", e.name.c_str(), e.kind.c_str());
    for (size_t i = 0; i < e.code.size(); i++)
        printf("%5d  %s\n", e.first_line + (int)i, e.code[i].c_str());
    printf("\n  The emulator reports:\n");
    for (size_t i = 0; i < cuda_on_cpu_findings(); i++) {
        cuda_finding f = cuda_on_cpu_finding(i);
        print_wrapped("line " + std::to_string(f.line) + ": " + f.kind + ": " +
                      f.text);
    }
    if (!e.expected.empty())
        printf("  nothing, but b[0] is %s\n", result.c_str());
    printf("\n  Why:\n");
    print_wrapped(e.why);
}

/* True if there is a finding of the expected kind at the expected line. False
 * if an expected race is also reported as an uninitialised read. For "wrong
 * numbers": true if there is no finding and b[0] is wrong. */
bool is_found(const Bug &bug, const Exhibit &e, const std::string &result)
{
    bool there = false;
    if (!e.expected.empty())
        return cuda_on_cpu_findings() == 0 && result != e.expected;
    for (size_t i = 0; i < cuda_on_cpu_findings(); i++) {
        cuda_finding f = cuda_on_cpu_finding(i);
        if (f.line != e.expected_line || strcmp(f.file, bug.file))
            continue;
        there |= e.kind == f.kind;
        if (e.kind == "race" && !strcmp(f.kind, "uninitialised"))
            return false;
    }
    return there;
}

/* Runs a bug. Returns b[0] as text, or "" if the launch failed. The sign of a
 * NaN depends on the machine, so it is left out. */
std::string run(const Bug &bug)
{
    Bench bench = {new_array(256), new_array(256)};
    char text[32] = "NaN";
    float result = 0;
    cudaMemset(bench.a, 0, 256 * sizeof(float));
    cudaMemset(bench.b, 0, 256 * sizeof(float));
    cuda_on_cpu_name(bench.a, "a");
    cuda_on_cpu_name(bench.b, "b");
    bug.run(bench);
    if (cudaGetLastError() != cudaSuccess)
        return "";
    cudaMemcpy(&result, bench.b, sizeof result, cudaMemcpyDeviceToHost);
    if (result == result)
        snprintf(text, sizeof text, "%g", (double)result);
    return text;
}
} // namespace

int main(int argc, char **argv)
{
    std::string only = argc > 1 ? argv[1] : "";
    bool quiet = only == "--quiet";
    size_t ran = 0, missed = 0;

    cuda_on_cpu_print_findings(0);
    for (const Bug &bug : Bug::all()) {
        Exhibit e = read(bug);
        if (!quiet && !only.empty() && only != e.name)
            continue;
        std::string result = run(bug);
        ran++;
        bool ok = is_found(bug, e, result);
        if (!quiet || !ok)
            print(e, result);
        if (!ok)
            printf("\n  NOT FOUND: %s expected in line %d\n", e.kind.c_str(),
                   e.expected_line);
        missed += !ok;
        cuda_on_cpu_forgive();
    }
    if (only.empty() || quiet)
        printf("%s%zu planted bugs, %zu found\n", quiet ? "" : "\n", ran,
               ran - missed);
    if (ran == 0)
        fprintf(stderr, "%s: no such bug (see make cuda-bugs)\n", only.c_str());
    return missed != 0 || ran == 0;
}
