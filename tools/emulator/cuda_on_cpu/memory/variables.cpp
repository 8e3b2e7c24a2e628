/* variables.cpp: the program's variables, from the symbol table in its file. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

typedef std::map<uintptr_t, Variable> Variables; /* by their ends */

const Variable *find(const Variables &all, uintptr_t at)
{
    auto v = all.upper_bound(at);
    return v != all.end() && v->second.begin <= at ? &v->second : nullptr;
}

/* Returns {"kernel(float*)", "tile"} for "_ZZ6kernelPfE4tile". The function of
 * other variables is empty. */
std::pair<std::string, std::string> function_and_name(const char *symbol)
{
    if (strncmp(symbol, "_Z", 2))
        return {"", symbol};
    int status = 0;
    char *full = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 ? full : symbol;
    free(full);
    size_t colons = name.rfind("::");
    if (colons == std::string::npos)
        return {"", name};
    return {name.substr(0, colons), name.substr(colons + 2)};
}

/* True for a variable of a file or class without the tag of EMU_VARIABLE, and
 * for one of main. The compiler's own tables have a dot in their names. False
 * for the emulator's variables. */
bool is_hosts(const char *symbol)
{
    return !strchr(symbol, '.') && !strstr(symbol, "B10emu_device") &&
           strncmp(symbol, "_ZN3emu", 7) &&
           (strncmp(symbol, "_Z", 2) || !strchr("ZTG", symbol[2]) ||
            !strncmp(symbol, "_ZZ4main", 8));
}

/* Calls add(symbol, name) for each variable of this type (STT_TLS or
 * STT_OBJECT). */
template <class Add> void read_symbols(int type, Add add)
{
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY);
    void *p = MAP_FAILED;
    if (fstat(file, &status) == 0)
        p = mmap(nullptr, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file,
                 0);
    close(file);
    if (p == MAP_FAILED)
        return;
    const char *base = static_cast<const char *>(p);
    auto *header = reinterpret_cast<const ElfW(Ehdr) *>(base);
    auto *sections =
        reinterpret_cast<const ElfW(Shdr) *>(base + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        const auto &s = sections[i];
        if (s.sh_type != SHT_SYMTAB)
            continue;
        auto *symbols = reinterpret_cast<const ElfW(Sym) *>(base + s.sh_offset);
        const char *names = base + sections[s.sh_link].sh_offset;
        for (size_t n = 0; n < s.sh_size / sizeof *symbols; n++)
            if (ELF64_ST_TYPE(symbols[n].st_info) == type && symbols[n].st_size)
                add(symbols[n], names + symbols[n].st_name);
    }
    munmap(p, (size_t)status.st_size);
}

Variables variables(int type)
{
    Variables all;
    read_symbols(type, [&](const ElfW(Sym) & symbol, const char *name) {
        if (type == STT_TLS || is_hosts(name))
            all[symbol.st_value + symbol.st_size] = {
                symbol.st_value, function_and_name(name).second};
    });
    return all;
}
} // namespace

const Variable *emu::shared_variable(size_t offset)
{
    static const Variables all = variables(STT_TLS);
    return find(all, offset);
}

size_t emu::most_static_shared(std::string &function)
{
    std::map<std::string, size_t> sums;
    size_t most = 0;
    read_symbols(STT_TLS, [&](const ElfW(Sym) & symbol, const char *name) {
        std::string of = function_and_name(name).first;
        size_t sum = of == "" ? 0 : sums[of] += symbol.st_size;
        if (sum > most) {
            most = sum;
            function = of;
        }
    });
    return most;
}

const Variable *emu::host_variable(const void *p)
{
    static const Variables all = variables(STT_OBJECT);
    return find(all, as_linked((uintptr_t)p));
}

void emu::host_variable_used(const char *verb, const char *name, uintptr_t pc)
{
    fatal(cudaErrorIllegalAddress, "host variable", pc,
          "%s %s, a variable of the host: __device__ or __shared__ is missing",
          verb, name);
}

void emu::host_table(const char *name)
{
    if (!watching)
        return;
    Unwatched quiet;
    host_variable_used("reads", name, PC);
}
