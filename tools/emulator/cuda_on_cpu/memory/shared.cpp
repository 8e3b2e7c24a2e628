/* shared.cpp: __shared__ variables are thread_local, so the linker puts them
 * into one segment. An address in that segment is shared memory. All blocks run
 * in one thread of the operating system and use the same segment. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

#include "tools/emulator/cuda_on_cpu/machine.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include <map>

/* The array that kernels declare as `extern __shared__ float smem[];`. */
alignas(1024) __thread char smem[emu::dynamic_max];

emu::SharedRange emu::shared_range;
emu::Shadow emu::shared_shadow;
size_t emu::dynamic_bytes;

const char *emu::dynamic_name = "smem";

void *emu::dynamic_shared(const char *name, const char *type, Site at)
{
    static std::map<std::string, std::pair<std::string, int>> first;
    emu::Unwatched quiet;
    std::string key = std::string(at.file) + ":" + name;
    auto seen = first.insert({key, {type, at.line}}).first->second;
    if (seen.first != type)
        emu::finding(
            "launch", at,
            "extern __shared__ %s has another type at line %d; nvcc allows "
            "one type per name",
            name, seen.second);
    dynamic_name = name;
    return smem;
}

namespace
{
/* For dl_iterate_phdr: fills shared_range and returns 1 if smem is found. */
int find_segment(dl_phdr_info *info, size_t, void *)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &segment = info->dlpi_phdr[i];
        uintptr_t low = (uintptr_t)info->dlpi_tls_data;
        if (segment.p_type != PT_TLS ||
            (uintptr_t)smem - low >= segment.p_memsz)
            continue;
        emu::shared_range = {low, segment.p_memsz, (uintptr_t)smem - low};
        return 1;
    }
    return 0;
}
} // namespace

void emu::shared_init()
{
    if (shared_range.low)
        return;
    if (!dl_iterate_phdr(find_segment, nullptr)) {
        fprintf(stderr, "cuda_on_cpu: no thread-local segment found\n");
        exit(1);
    }
    shared_shadow =
        shadow_new((const void *)shared_range.low, shared_range.bytes, nullptr);
}

std::string emu::shared_name(size_t offset)
{
    const Variable *v = shared_variable(offset);
    if (!v)
        return "a __shared__ variable";
    return (v->name == "smem" ? dynamic_name : v->name) + " + " +
           std::to_string(offset - v->begin) + " bytes";
}
