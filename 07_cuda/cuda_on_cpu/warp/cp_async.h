/* cp_async.h: a block begins with no copies under way. */
#pragma once

namespace emu
{
void cp_async_start_block();
} // namespace emu
