/* swizzle.h: the swizzles of TMA and wgmma. In eight rows of 128 bytes, piece c
 * (16 bytes) of row r is in the place of piece c ^ r. In eight rows of 64 bytes
 * it is in the place of piece c ^ (r / 2). */
#pragma once
#include <stddef.h>

namespace emu
{
/* `at` is an address, or an offset from a multiple of 1024. */
inline size_t swizzled(size_t at, size_t row_bytes)
{
    return at ^ (at >> 3 & (row_bytes - 16));
}
} // namespace emu
