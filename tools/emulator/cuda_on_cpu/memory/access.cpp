/* access.cpp: checks and counts every load and store of a kernel. The arena of
 * cudaMalloc is global memory, the thread-local segment is shared memory, and a
 * fiber's stack has the variables in registers. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"

#include <algorithm>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

/* Reports an access outside of array a, or to a freed array. A GPU may silently
 * access another array. offset is in the arena. */
[[noreturn]] void beyond_array(const Array &a, size_t offset, size_t bytes,
                               Kind kind, uintptr_t pc)
{
    bool inside = offset >= a.offset && offset + bytes <= a.offset + a.bytes;
    long at = (long)offset - (long)a.offset;
    fatal(cudaErrorIllegalAddress, "out of bounds", pc,
          "%s %zu bytes at %s %c %ld; %s %zu bytes", verb(kind), bytes,
          a.name.c_str(), at < 0 ? '-' : '+', at < 0 ? -at : at,
          a.freed && inside ? "it was freed, and had" : "it has", a.bytes);
}

inline bool is_one_piece(uintptr_t p, size_t bytes)
{
    bool power_of_2 = (bytes & (bytes - 1)) == 0;
    return power_of_2 && bytes <= 16 && (p & (bytes - 1)) == 0;
}

/* bytes is a power of two. */
inline void check_alignment(uintptr_t p, size_t bytes, uintptr_t pc)
{
    size_t above = p & (bytes - 1);
    if (above)
        fatal(cudaErrorMisalignedAddress, "misaligned", pc,
              "%zu bytes at an address that is %zu bytes above a multiple of "
              "%zu",
              bytes, above, bytes);
}

/* Ends the launch if an access to smem[] is beyond the requested bytes. */
inline void check_dynamic_bounds(size_t offset, size_t bytes, Kind kind,
                                 uintptr_t pc)
{
    size_t in_smem = offset - shared_range.dynamic;
    if (in_smem < dynamic_max && in_smem + bytes > dynamic_bytes)
        fatal(cudaErrorIllegalAddress, "out of bounds", pc,
              "%s %zu bytes at %s + %zu; the launch requests %zu bytes",
              verb(kind), bytes, dynamic_name, in_smem, dynamic_bytes);
}

void shared_access(size_t offset, size_t bytes, Kind kind, uintptr_t pc)
{
    if (kind != Kind::write) {
        counts.shared_loads++;
        counts.shared_loaded += bytes;
        fibers[running_thread()].shared_loaded += bytes;
    }
    if (kind != Kind::read) {
        counts.shared_stores++;
        counts.shared_stored += bytes;
    }
    if (kind == Kind::write)
        note_progress();
    check_dynamic_bounds(offset, bytes, kind, pc);
    if (effort == CUDA_COUNT)
        return;
    check_alignment(shared_range.low + offset, bytes, pc);
    shadow_touch(shared_shadow, offset, bytes, kind, pc);
    if (effort == CUDA_FULL && !is_agent(now.me))
        note_request(pc, false, offset, bytes);
}

void global_access(size_t offset, size_t bytes, Kind kind, uintptr_t pc)
{
    Array &a = *array_at(offset);
    if (a.freed || offset < a.offset || offset + bytes > a.offset + a.bytes)
        beyond_array(a, offset, bytes, kind, pc);
    if (a.input && kind != Kind::read)
        fatal(cudaErrorIllegalAddress, "input", pc,
              "%s %zu bytes at %s + %zu, which is an input", verb(kind), bytes,
              a.name.c_str(), offset - a.offset);
    uint64_t &moved = fibers[running_thread()].global_moved;
    counts.busiest = std::max(counts.busiest, moved += bytes);
    if (kind == Kind::read) {
        counts.global_loads++;
        counts.global_loaded += bytes;
        a.loaded += bytes;
    } else {
        (kind == Kind::write ? counts.global_stored : counts.global_atomics) +=
            bytes;
        (kind == Kind::write ? a.stored : a.atomics) += bytes;
    }
    if (kind == Kind::write)
        note_progress();
    if (effort == CUDA_COUNT)
        return;
    check_alignment((uintptr_t)arena + offset, bytes, pc);
    size_t in_array = offset - a.offset;
    uint64_t first = shadow_touch(a.shadow, in_array, bytes, kind, pc);
    counts.global_loaded_once += first;
    a.loaded_once += first;
    if (effort == CUDA_FULL && !is_agent(now.me))
        note_request(pc, true, offset, bytes);
}

void other_access(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    if (on_fiber_stack(p)) { /* a private variable */
        touch_fragment((uintptr_t)p, bytes, kind, pc);
        return;
    }
    if (kind != Kind::read)
        counts.variables += bytes;
    if (is_argument(p) || in_symbol(p, bytes) || in_heap(p, bytes))
        return;
    if (in_program((uintptr_t)p)) {
        const Variable *v = host_variable(p);
        if (v)
            host_variable_used(verb(kind), v->name.c_str(), pc);
        return;
    }
    fatal(cudaErrorIllegalAddress, "out of bounds", pc,
          "%s %zu bytes at %p, which is %s", verb(kind), bytes, p,
          (uintptr_t)p < 4096 ? "a null pointer" : "not device memory");
}

void one_access(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    size_t in_shared = (uintptr_t)p - shared_range.low;
    size_t in_arena = (uintptr_t)p - (uintptr_t)arena;
    if (in_shared < shared_range.bytes)
        shared_access(in_shared, bytes, kind, pc);
    else if (arena && in_arena < arena_bytes)
        global_access(in_arena, bytes, kind, pc);
    else
        other_access(p, bytes, kind, pc);
}
} // namespace

void emu::access(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    const char *c = static_cast<const char *>(p);
    if (unsettled)
        settle();
    /* The alignment of a struct may be smaller than its size. So, like nvcc,
     * this loop splits the copy of a struct into the largest aligned pieces.
     * -fsanitize=alignment checks the alignment of the type. */
    while (!is_atomic(kind) && !is_one_piece((uintptr_t)c, bytes)) {
        size_t n = 16;
        while (n > bytes || (uintptr_t)c % n)
            n /= 2;
        one_access(c, n, kind, pc);
        c += n;
        bytes -= n;
    }
    one_access(c, bytes, kind, pc);
}

static size_t shared_offset_or_die(const void *p, uintptr_t pc)
{
    size_t offset = (uintptr_t)p - shared_range.low;
    if (offset < shared_range.bytes)
        return offset;
    fatal(cudaErrorIllegalAddress, "out of bounds", pc,
          "%p is not in shared memory", p);
}

void emu::access_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    shared_access(shared_offset_or_die(p, pc), bytes, kind, pc);
}

void emu::touch_shared(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    size_t offset = shared_offset_or_die(p, pc);
    check_dynamic_bounds(offset, bytes, kind, pc);
    shadow_touch(shared_shadow, offset, bytes, kind, pc);
}
