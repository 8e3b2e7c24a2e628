/* swizzle.h: the 128-byte swizzle stores 16-byte piece c of row r in the place
 * of piece c ^ r, in each 1024 bytes (eight rows of 128). The 64-byte swizzle
 * stores it in the place of piece c ^ (r / 2), in each 512 bytes (eight rows of
 * 64). */
#pragma once
#include <stddef.h>

namespace emu
{
/* at: an address, or an offset from a multiple of 1024. */
inline size_t swizzled(size_t at, size_t row_bytes)
{
    return at ^ (at >> 3 & (row_bytes - 16));
}
} // namespace emu
