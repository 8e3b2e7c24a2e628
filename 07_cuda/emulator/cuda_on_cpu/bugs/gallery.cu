/* gallery.cu: runs every planted bug of this folder and shows its source,
 * the emulator's findings, and why; fails if one is not found, or is found in
 * another line. With --quiet it prints one line in all; with a name, only
 * that bug. */
#include "07_cuda/emulator/cuda_on_cpu/bugs/gallery.h"

#include <string.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"

namespace
{
std::vector<const Bug *> &bugs()
{
    static std::vector<const Bug *> all;
    return all;
}

/* One bug, as its .cu file describes it. */
struct Exhibit {
    std::string name, kind, why;
    std::vector<std::string> code;
    int first_line, expected_line;

    bool wrong_numbers() const
    {
        return kind.compare(0, 13, "wrong numbers") == 0;
    }
};

std::string trimmed(const std::string &s)
{
    size_t from = s.find_first_not_of(" *");
    return from == std::string::npos ? "" : s.substr(from);
}

/* From the last comment before it that begins with [name] to an empty line. */
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
            e.why += (e.why.empty() ? "" : " ") + trimmed(line.substr(0, end));
        } else {
            if (e.code.empty())
                e.first_line = n;
            if (line.find("// <- here") != std::string::npos)
                e.expected_line = n;
            e.code.push_back(line);
        }
    }
    return e;
}

/* At most 78 columns, under an indent of two. */
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
    if (!result.empty())
        printf("  nothing. But b[0] is %s.\n", result.c_str());
    printf("\n  Why:\n");
    print_wrapped(e.why);
}

/* The expected kind, at the expected line of this bug's own file; or nothing,
 * and the numbers are wrong. What is only written too late is a race. */
bool found(const Bug &bug, const Exhibit &e, const std::string &result)
{
    bool there = false;
    if (e.wrong_numbers())
        return cuda_on_cpu_findings() == 0 &&
               result != e.kind.substr(e.kind.rfind(' ') + 1);
    for (size_t i = 0; i < cuda_on_cpu_findings(); i++) {
        cuda_finding f = cuda_on_cpu_finding(i);
        if (f.line != e.expected_line || std::string(f.file) != bug.file)
            continue;
        there |= e.kind == f.kind;
        if (e.kind == "race" && !strcmp(f.kind, "uninitialised"))
            return false;
    }
    return there;
}

/* What it left in b[0], of an exhibit of wrong numbers; the sign of a NaN is
 * not the same on all machines. */
std::string run(const Bug &bug, const Exhibit &e)
{
    Bench bench = {nullptr, nullptr};
    char text[32] = "NaN";
    float result = 0;
    for (float **p : {&bench.a, &bench.b}) {
        cudaMalloc(p, 256 * sizeof(float));
        cudaMemset(*p, 0, 256 * sizeof(float));
        cuda_on_cpu_name(*p, p == &bench.a ? "a" : "b");
    }
    bug.run(bench);
    cudaGetLastError();
    if (!e.wrong_numbers())
        return "";
    cudaMemcpy(&result, bench.b, sizeof result, cudaMemcpyDeviceToHost);
    if (result == result)
        snprintf(text, sizeof text, "%g", (double)result);
    return text;
}
} // namespace

Bug::Bug(const char *f, int l, void (*r)(const Bench &))
    : file(f), line(l), run(r)
{
    bugs().push_back(this);
}

float *new_array(int n)
{
    float *p = nullptr;
    cudaMalloc(&p, (size_t)n * sizeof *p);
    return p;
}

int main(int argc, char **argv)
{
    std::string only = argc > 1 ? argv[1] : "";
    bool quiet = only == "--quiet";
    size_t ran = 0, missed = 0;

    cuda_on_cpu_print_findings(0);
    std::sort(bugs().begin(), bugs().end(), [](const Bug *x, const Bug *y) {
        int order = strcmp(x->file, y->file);
        return order ? order < 0 : x->line < y->line;
    });
    for (const Bug *bug : bugs()) {
        Exhibit e = read(*bug);
        if (!quiet && !only.empty() && only != e.name)
            continue;
        std::string result = run(*bug, e);
        ran++;
        bool ok = found(*bug, e, result);
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
