/* hooks.cpp: with -fsanitize=thread the compiler calls these functions before
 * every load and store. They replace those of ThreadSanitizer, which is not
 * linked. gcc and clang use the same names. Page: docs/cuda_on_cpu.md. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/races/streams.h"
#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using emu::Kind;

/* With cuda_on_cpu_lockstep all other threads run up to their next access. */
inline void take_turns(const void *p, uintptr_t pc)
{
    if (emu::on_fiber_stack(p))
        return;
    emu::note_progress();
    emu::wait_for(emu::Wait::turn, pc);
}

inline void hook(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    if (!emu::watching && emu::host_may_race)
        emu::host_access(p, bytes, kind, pc);
    if (!emu::watching || bytes == 0)
        return;
    if (emu::lockstep)
        take_turns(p, pc);
    emu::Unwatched quiet;
    if (emu::overdue)
        emu::end_overdue(pc);
    emu::access(p, bytes, kind, pc);
}

/* A volatile read may wait for another thread, so other threads run next. */
inline void volatile_read(const void *p, size_t bytes, uintptr_t pc)
{
    if (!emu::watching)
        return;
    hook(p, bytes, Kind::read, pc);
    if (!emu::on_fiber_stack(p))
        emu::wait_for(emu::Wait::turn, pc);
}
} // namespace

#define HOOK(name, bytes, kind)                                                \
    extern "C" void __tsan_##name##bytes(void *p)                              \
    {                                                                          \
        hook(p, bytes, kind, PC);                                              \
    }
#define HOOKS(bytes)                                                           \
    HOOK(read, bytes, Kind::read)                                              \
    HOOK(write, bytes, Kind::write)                                            \
    HOOK(unaligned_read, bytes, Kind::read)                                    \
    HOOK(unaligned_write, bytes, Kind::write)                                  \
    HOOK(volatile_write, bytes, Kind::write)                                   \
    extern "C" void __tsan_read_write##bytes(void *p)                          \
    {                                                                          \
        hook(p, bytes, Kind::read, PC);                                        \
        hook(p, bytes, Kind::write, PC);                                       \
    }                                                                          \
    extern "C" void __tsan_volatile_read##bytes(void *p)                       \
    {                                                                          \
        volatile_read(p, bytes, PC);                                           \
    }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

extern "C" void __tsan_read_range(void *p, size_t n)
{
    hook(p, n, Kind::read, PC);
}
extern "C" void __tsan_write_range(void *p, size_t n)
{
    hook(p, n, Kind::write, PC);
}

#define UNUSED_HOOK(name, parameters)                                          \
    extern "C" void __tsan_##name parameters                                   \
    {                                                                          \
    }
UNUSED_HOOK(init, (void))
UNUSED_HOOK(func_entry, (void *))
UNUSED_HOOK(func_exit, (void))
UNUSED_HOOK(vptr_update, (void **, void *))
UNUSED_HOOK(vptr_read, (void **))

/* A struct may be copied by memcpy. clang 15 and later call __tsan_memcpy. For
 * other compilers the linker's --wrap=memcpy calls __wrap_memcpy. */
extern "C" void *__real_memcpy(void *to, const void *from, size_t n);
extern "C" void *__real_memset(void *to, int byte, size_t n);
extern "C" void *__real_memmove(void *to, const void *from, size_t n);

#define COPIES(prefix)                                                         \
    extern "C" void *prefix##memcpy(void *to, const void *from, size_t n)      \
    {                                                                          \
        hook(from, n, Kind::read, PC);                                         \
        hook(to, n, Kind::write, PC);                                          \
        return __real_memcpy(to, from, n);                                     \
    }                                                                          \
    extern "C" void *prefix##memset(void *to, int byte, size_t n)              \
    {                                                                          \
        hook(to, n, Kind::write, PC);                                          \
        return __real_memset(to, byte, n);                                     \
    }                                                                          \
    extern "C" void *prefix##memmove(void *to, const void *from, size_t n)     \
    {                                                                          \
        hook(from, n, Kind::read, PC);                                         \
        hook(to, n, Kind::write, PC);                                          \
        return __real_memmove(to, from, n);                                    \
    }
COPIES(__wrap_)
COPIES(__tsan_)

/* These functions replace those of the sanitizers' library:
 *
 *     -fsanitize=bounds     an index is outside of a declared array
 *     -fsanitize=alignment  the address of a float4 is not a multiple of 16
 *     -fsanitize=signed-integer-overflow  an int overflows (only with
 *                                         cuda-check) */

namespace
{
struct SourceLocation {
    const char *file;
    uint32_t line, column;
};

struct Type {
    uint16_t kind, info;
    char name[1]; /* such as 'float [20]' */
};

struct OutOfBounds {
    SourceLocation at;
    const Type *array;
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
               "index %ld is outside of %s", (long)(intptr_t)index,
               what->array->name);
}

extern "C" void __ubsan_handle_type_mismatch_v1(TypeMismatch *what, void *p)
{
    uintptr_t alignment = (uintptr_t)1 << what->log_alignment;
    if (!emu::watching ||
        emu::on_fiber_stack(p)) /* on a GPU, p is in registers */
        return;
    emu::Unwatched quiet;
    emu::fatal(
        cudaErrorMisalignedAddress, "misaligned", place(what->at),
        "needs an address that is a multiple of %zu; this address is %zu "
        "bytes above one",
        (size_t)alignment, (size_t)((uintptr_t)p % alignment));
}

/* An overflow is a note, since hashes and random numbers may overflow. */
#define OVERFLOW(name)                                                         \
    extern "C" void __ubsan_handle_##name##_overflow(OutOfBounds *what)        \
    {                                                                          \
        emu::Unwatched quiet;                                                  \
        if (quiet.was)                                                         \
            emu::note(place(what->at),                                         \
                      "a signed integer overflows here: an index needs "       \
                      "size_t or long long");                                  \
    }
OVERFLOW(add)
OVERFLOW(sub)
OVERFLOW(mul)
OVERFLOW(negate)
OVERFLOW(divrem)
