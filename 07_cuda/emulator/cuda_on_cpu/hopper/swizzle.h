/* swizzle.h: the swizzles of TMA and wgmma. The 128-byte swizzle works on eight
 * rows of 128 bytes. It stores piece c (16 bytes) of row r in the place of
 * piece c ^ r. The 64-byte swizzle works on eight rows of 64 bytes. It stores
 * the piece in the place of piece c ^ (r / 2). */
#pragma once
#include <stddef.h>

namespace emu
{
/* Returns the place of the byte `at`, which is an address, or an offset from a
 * multiple of 1024. */
inline size_t swizzled(size_t at, size_t row_bytes)
{
    return at ^ (at >> 3 & (row_bytes - 16));
}
} // namespace emu
