/* fiber.h: a fiber is a function with its own stack, which can be suspended and
 * continued. Each CUDA thread of the running block is a fiber. */
#pragma once
#include <stddef.h>

namespace emu
{
constexpr unsigned max_threads = 1024; /* per block */

/* A CUDA thread has at most 512 KiB of local memory. */
constexpr size_t stack_bytes = 1 << 20;

/* Prepares fiber `slot` to call entry, which must not return; returns the
 * fiber's handle. Overwrites the slot's stack. */
void *fiber_new(unsigned slot, void (*entry)());

/* Returns zeroed address space; exits if there is none. */
void *reserve(size_t bytes);

/* Stores the running fiber's handle in *from, and continues `to`. */
void fiber_switch(void **from, void *to);

/* True if the address is on a fiber's stack. */
bool on_fiber_stack(const void *p);
} // namespace emu
