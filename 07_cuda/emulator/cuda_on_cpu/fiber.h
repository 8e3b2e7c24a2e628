/* fiber.h: a function with its own stack, which can stop in the middle
 * and go on later. Each CUDA thread of the running block is one fiber. */
#pragma once
#include <stddef.h>

namespace emu
{
constexpr unsigned max_threads = 1024; /* of a block */

/* CUDA gives a thread at most 512 KiB of local memory. */
constexpr size_t stack_bytes = 1 << 20;

/* Makes fiber `slot` ready to call entry, which must never return; returns
 * its handle. What was left on the slot's stack is gone. */
void *fiber_new(unsigned slot, void (*entry)());

void *reserve(size_t bytes); /* address space, zero, or exit */

/* Stops here, storing a handle in *from, and goes on where `to` stopped. */
void fiber_switch(void **from, void *to);

/* Is the address on some fiber's stack? */
bool on_fiber_stack(const void *p);
} // namespace emu
