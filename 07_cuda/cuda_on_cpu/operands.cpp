/* operands.cpp: a descriptor says where a tile lies in shared memory, and with
 * which strides, all in units of 16 bytes: bits 0-13 the address, 16-29 the
 * leading offset, 32-45 the stride offset, 62-63 the swizzle (1: 128 bytes).
 * docs/hopper.md draws the two layouts that are read here. */
#include "operands.h"

#include <string.h>

#include "access.h"
#include "findings.h"
#include "include/cuda_bf16.h"
#include "include/emulated/ptx_hopper_cpu.h"
#include "scheduler.h"
#include "settings.h"
#include "shared.h"
#include "swizzle.h"

namespace
{
using namespace emu;

/* As on a GPU, smem[] does not begin at 0. */
constexpr unsigned smem_begins = 1024;

uintptr_t smem()
{
    return shared_range.low + shared_range.dynamic;
}

size_t field(uint64_t descriptor, int bit)
{
    return (descriptor >> bit & 0x3fff) << 4;
}

/* ANCHOR: layout */
/* The 8 elements that begin at (row, k), side by side in k; or if transposed,
 * in row. */
const uint16_t *piece(const Operand &o, int row, int k)
{
    size_t at = field(o.descriptor, 0) - smem_begins;
    size_t leading = field(o.descriptor, 16), stride = field(o.descriptor, 32);
    size_t r = (size_t)row, c = (size_t)k;
    if (o.transposed)
        at += r / 64 * leading + c / 8 * stride + c % 8 * 128 + r % 64 * 2;
    else
        at += r / 8 * stride + r % 8 * 128 + c * 2;
    return (const uint16_t *)(smem() + swizzled(at));
}
/* ANCHOR_END: layout */

void check_descriptor(const Operand &o, int n, uintptr_t pc)
{
    size_t leading = field(o.descriptor, 16), stride = field(o.descriptor, 32);
    if (o.descriptor >> 62 != 1)
        finding("wgmma", pc,
                "a descriptor without the 128-byte swizzle (only that one is "
                "known here)");
    if (stride % 1024 || (o.transposed && n > 64 && leading % 1024))
        finding("wgmma", pc,
                "a descriptor with offsets of %zu and %zu bytes: the pattern "
                "of the swizzle comes again every 1024",
                leading, stride);
}
} // namespace

unsigned emu::shared_address(const void *p)
{
    return (unsigned)((uintptr_t)p - smem()) + smem_begins;
}

void emu::check_operand(const Operand &o, int first, int n, uintptr_t pc)
{
    check_descriptor(o, n, pc);
    if (effort == CUDA_COUNT)
        return;
    for (int i = first; i < first + n; i += o.transposed ? 8 : 1)
        for (int k = 0; k < 16; k += o.transposed ? 1 : 8)
            touch_shared(piece(o, i, k), 16, Kind::read, pc);
}

void emu::read_operand(const Operand &o, int n, float *out, int stride)
{
    for (int i = 0; i < n; i += o.transposed ? 8 : 1)
        for (int k = 0; k < 16; k += o.transposed ? 1 : 8) {
            const uint16_t *p = piece(o, i, k);
            if ((uintptr_t)p - smem() >= dynamic_bytes)
                continue; /* told when it was issued */
            for (int e = 0; e < 8; e++) {
                int row = o.transposed ? i + e : i, column = k + e;
                out[(o.transposed ? k : column) * stride + row] =
                    from_bf16(p[e]);
            }
        }
}
