/* declared.cpp: what the compiler itself knows to be wrong, from the types:
 * an index outside a declared array (-fsanitize=bounds: tile[64] of
 * float tile[64]), and a float4 at an address that isn't a multiple of 16
 * (-fsanitize=alignment). As with the hooks, we define the functions that
 * the undefined-behaviour sanitizer's library would. */
#include "07_cuda/cuda_on_cpu/findings.h"
#include "07_cuda/cuda_on_cpu/machine.h"

namespace
{
/* What the compiler passes: it begins with a place in the source. */
struct SourceLocation {
    const char *file;
    uint32_t line, column;
};

struct OutOfBounds {
    SourceLocation at;
};

struct TypeMismatch {
    SourceLocation at;
    const void *type;
    unsigned char log_alignment, kind;
};

emu::Place place(const SourceLocation &l)
{
    return emu::Site{l.file, (int)l.line};
}
} // namespace

extern "C" void __ubsan_handle_out_of_bounds(OutOfBounds *what, void *index)
{
    if (!emu::watching)
        return;
    emu::Unwatched quiet;
    emu::fatal(cudaErrorIllegalAddress, "out of bounds", place(what->at),
               "index %ld is outside the declared array",
               (long)(intptr_t)index);
}

extern "C" void __ubsan_handle_type_mismatch_v1(TypeMismatch *what, void *p)
{
    uintptr_t alignment = (uintptr_t)1 << what->log_alignment;
    if (!emu::watching || (uintptr_t)p % alignment == 0)
        return;
    emu::Unwatched quiet;
    emu::fatal(cudaErrorMisalignedAddress, "misaligned", place(what->at),
               "needs an address that is a multiple of %zu, not %zu more",
               (size_t)alignment, (size_t)((uintptr_t)p % alignment));
}
