/* fiber.h: a fiber is a function with its own stack, which can be suspended and
 * continued. Each CUDA thread of the running block is a fiber. */
#pragma once
#include <stddef.h>

namespace emu
{
constexpr unsigned max_threads = 1024; /* per block */

/* Twice the local memory of a CUDA thread, which is at most 512 KiB. */
constexpr size_t stack_bytes = 1 << 20;

/* Prepares fiber `slot` (below max_threads) to call entry, which must not
 * return. Overwrites the slot's stack. Returns the fiber's handle. */
void *fiber_new(unsigned slot, void (*entry)());

/* Returns address space filled with zeros. Exits if there is none. */
void *reserve(size_t bytes);

/* Stores the running fiber's handle in *from, and continues the fiber `to`. */
extern "C" void emu_switch(void **from, void *to);

bool on_fiber_stack(const void *p);
} // namespace emu
