/* swizzle.h: the 128-byte swizzle: within each 1024 bytes, eight rows of 128,
 * the 16-byte piece c of row r lies where piece c ^ r would. The 64-byte
 * swizzle: within each 512, four times two rows of 64, piece c of the two rows
 * 2 r and 2 r + 1 lies where piece c ^ r would. */
#pragma once
#include <stddef.h>

namespace emu
{
/* Of an address, or of an offset from a multiple of 1024. */
inline size_t swizzled(size_t at, size_t row_bytes)
{
    return at ^ (at >> 3 & (row_bytes - 16));
}
} // namespace emu
