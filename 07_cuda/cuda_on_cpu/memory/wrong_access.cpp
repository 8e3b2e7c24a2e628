/* wrong_access.cpp: see wrong_access.h. */
#include "07_cuda/cuda_on_cpu/memory/wrong_access.h"

#include "07_cuda/cuda_on_cpu/findings.h"
#include "07_cuda/cuda_on_cpu/machine.h"
#include "07_cuda/cuda_on_cpu/memory/shared.h"

static const char *verb(emu::Kind k)
{
    return k == emu::Kind::read ? "reads" : "writes";
}

void emu::misaligned(uintptr_t p, size_t bytes, uintptr_t pc)
{
    finding("misaligned", pc, "%zu bytes at an address that is %zu too many",
            bytes, (size_t)(p % bytes));
    kill_launch(cudaErrorMisalignedAddress);
}

void emu::beyond_dynamic(size_t offset, size_t bytes, Kind kind, uintptr_t pc)
{
    finding("out of bounds", pc,
            "%s %zu bytes at smem + %zu; the launch gave it %zu bytes",
            verb(kind), bytes, offset - shared_range.dynamic, dynamic_bytes);
    kill_launch(cudaErrorIllegalAddress);
}

void emu::beyond_array(const Array &a, size_t offset, size_t bytes, Kind kind,
                       uintptr_t pc)
{
    bool inside = offset >= a.offset && offset + bytes <= a.offset + a.bytes;
    long at = (long)offset - (long)a.offset;
    finding("out of bounds", pc, "%s %zu bytes at %s %c %ld; %s %zu bytes",
            verb(kind), bytes, a.name.c_str(), at < 0 ? '-' : '+',
            at < 0 ? -at : at,
            a.freed && inside ? "it was freed, and had" : "it has", a.bytes);
    kill_launch(cudaErrorIllegalAddress);
}

void emu::no_device_memory(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    finding("out of bounds", pc, "%s %zu bytes at %p, which is %s", verb(kind),
            bytes, p,
            (uintptr_t)p < 4096 ? "a null pointer" : "no memory of the device");
    kill_launch(cudaErrorIllegalAddress);
}

void emu::not_shared(const void *p, uintptr_t pc)
{
    finding("out of bounds", pc, "%p is not in shared memory", p);
    kill_launch(cudaErrorIllegalAddress);
}
