/* shared.cpp: a __shared__ variable is thread_local, so the linker puts them
 * all in one segment, and any address can be told to be shared memory by
 * comparing it with the segment's ends. Blocks run one after another in one
 * thread of the operating system: they all use the same one. */
#include "07_cuda/cuda_on_cpu/memory/shared.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>

/* What a kernel declares as `extern __shared__ float smem[];`. */
alignas(1024) __thread char smem[emu::dynamic_max];

emu::SharedRange emu::shared_range;
emu::Shadow emu::shared_shadow;
size_t emu::dynamic_bytes;

namespace
{
/* Called with each loaded program and library: ours is the one whose
 * thread-local segment holds smem. */
int find_segment(dl_phdr_info *info, size_t, void *)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &segment = info->dlpi_phdr[i];
        uintptr_t low = (uintptr_t)info->dlpi_tls_data;
        if (segment.p_type != PT_TLS || !low ||
            (uintptr_t)smem - low >= segment.p_memsz)
            continue;
        emu::shared_range.low = low & ~(uintptr_t)15;
        emu::shared_range.bytes = segment.p_memsz + 16;
        emu::shared_range.segment = low;
        emu::shared_range.dynamic = (uintptr_t)smem - emu::shared_range.low;
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
    shared_shadow = shadow_new(shared_range.bytes, nullptr);
}
