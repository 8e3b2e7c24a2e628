/* swizzle.h: the 128-byte swizzle: within each 1024 bytes, eight rows of 128,
 * the 16-byte piece c of row r lies where piece c ^ r would. */
#pragma once
#include <stddef.h>

namespace emu
{
/* Of an address, or of an offset from a multiple of 1024. */
inline size_t swizzled(size_t at)
{
    return at ^ (at >> 3 & 0x70);
}
} // namespace emu
