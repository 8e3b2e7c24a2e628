/* shared_names.cpp: which __shared__ variable is it? The program's own symbol
 * table knows the thread-local variables, by offset; readelf, of the
 * compiler's own tools, prints it. It is asked once, if at all. */
#include <cxxabi.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vector>

#include "07_cuda/cuda_on_cpu/findings.h"
#include "07_cuda/cuda_on_cpu/memory/shared.h"

namespace
{
struct Variable {
    size_t offset, bytes;
    std::string name;
};

/* "kernel(float*)::tile" of "_ZZ6kernelPfE4tile"; of that, "tile". */
std::string short_name(const char *symbol)
{
    int status = 0;
    char *full = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 ? full : symbol;
    free(full);
    size_t colons = name.rfind("::");
    return colons == std::string::npos ? name : name.substr(colons + 2);
}

std::vector<Variable> thread_local_variables()
{
    std::vector<Variable> all;
    char self[PATH_MAX], command[PATH_MAX + 60], line[4000], symbol[3000];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    snprintf(command, sizeof command, "readelf -sW '%s' 2>/dev/null", self);
    FILE *p = popen(command, "r");
    size_t offset;
    char bytes[32]; /* readelf writes large sizes in base 16, with 0x */
    while (p && fgets(line, sizeof line, p))
        if (sscanf(line, " %*s %zx %31s TLS %*s %*s %*s %2999s", &offset, bytes,
                   symbol) == 3)
            all.push_back(
                {offset, strtoul(bytes, nullptr, 0), short_name(symbol)});
    if (p)
        pclose(p);
    return all;
}
} // namespace

std::string emu::shared_name(size_t offset)
{
    static const std::vector<Variable> all = thread_local_variables();
    size_t from_segment = offset - (shared_range.segment - shared_range.low);
    for (const Variable &v : all)
        if (from_segment - v.offset < v.bytes)
            return v.name + " + " + std::to_string(from_segment - v.offset) +
                   " bytes";
    return "a __shared__ variable";
}
