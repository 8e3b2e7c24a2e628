/* operands.cpp: checks and reads a wgmma's operands in shared memory. A
 * descriptor has the tile's address (bits 0-13), the leading offset (16-29) and
 * the stride offset (32-45) in units of 16 bytes. Bits 62-63 are the swizzle
 * (1: 128 bytes, 2: 64 bytes). docs/hopper.md draws the layouts. */
#include "tools/emulator/cuda_on_cpu/hopper/warpgroup.h"

#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/hopper/swizzle.h"

namespace
{
using namespace emu;

/* The address of smem[] in descriptors. As on a GPU, it is not 0. */
constexpr unsigned smem_begins = 1024;

uintptr_t smem()
{
    return shared_range.low + shared_range.dynamic;
}

size_t field(uint64_t descriptor, int bit)
{
    return (descriptor >> bit & 0x3fff) << 4;
}

/* Returns the bytes per row of the swizzle's pattern. */
size_t width(const Operand &o)
{
    return o.descriptor >> 62 == 2 ? 64 : 128;
}

/* Returns the address of the 16 bytes that begin with element (row, k). These
 * bytes have consecutive k, or consecutive rows if o is transposed. */
const void *piece(const Operand &o, int row, int k)
{
    size_t at = field(o.descriptor, 0) - smem_begins;
    size_t leading = field(o.descriptor, 16), stride = field(o.descriptor, 32);
    size_t r = (size_t)row, c = (size_t)k;
    if (o.transposed)
        at += r / 64 * leading + c / 8 * stride + c % 8 * 128 + r % 64 * 2;
    else
        at += r / 8 * stride + r % 8 * width(o) + c * (o.e4m3 ? 1 : 2);
    return (const void *)(smem() + swizzled(at, width(o)));
}

/* Calls f(piece(o, i, k), i, k) for all pieces of n rows, from row `first`. */
template <class F> void each_piece(const Operand &o, int first, int n, F f)
{
    int in_piece = o.depth() / 2;
    for (int i = first; i < first + n; i += o.transposed ? in_piece : 1)
        for (int k = 0; k < o.depth(); k += o.transposed ? 1 : in_piece)
            f(piece(o, i, k), i, k);
}

void check_descriptor(const Operand &o, int n, uintptr_t pc)
{
    size_t leading = field(o.descriptor, 16), stride = field(o.descriptor, 32);
    uint64_t swizzle = o.descriptor >> 62;
    if (swizzle != 1 && !(swizzle == 2 && !o.transposed))
        finding("wgmma", pc,
                "a descriptor needs the 128-byte swizzle (or, if it is not "
                "transposed, the 64-byte swizzle)");
    if (stride % (8 * width(o)) || (o.transposed && n > 64 && leading % 1024))
        finding("wgmma", pc,
                "a descriptor has offsets of %zu and %zu bytes (allowed: "
                "multiples of %zu, the size of the swizzle's pattern)",
                leading, stride, 8 * width(o));
}
} // namespace

unsigned emu::shared_address(const void *p)
{
    return (unsigned)((uintptr_t)p - smem()) + smem_begins;
}

void *emu::shared_pointer(unsigned address)
{
    return (void *)(smem() + (uintptr_t)(intptr_t)(int)(address - smem_begins));
}

void emu::check_operand(const Operand &o, int first, int n, uintptr_t pc)
{
    check_descriptor(o, n, pc);
    if (effort == CUDA_COUNT)
        return;
    each_piece(o, first, n, [&](const void *p, int, int) {
        touch_shared(p, 16, Kind::read, pc);
    });
}

void emu::read_operand(const Operand &o, int n, float *out, int stride)
{
    each_piece(o, 0, n, [&](const void *p, int i, int k) {
        if ((uintptr_t)p - smem() >= dynamic_bytes)
            return; /* check_operand reports it, unless CUDA_COUNT */
        for (int e = 0; e < o.depth() / 2; e++)
            out[o.transposed ? k * stride + i + e : (k + e) * stride + i] =
                o.e4m3 ? from_e4m3(((const uint8_t *)p)[e])
                       : from_bf16(((const uint16_t *)p)[e]);
    });
}
