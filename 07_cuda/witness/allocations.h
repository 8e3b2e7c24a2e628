/* The device's memory: pieces of the host's. What has not been written is NaN,
 * and nothing may be read beyond a piece's end. */
#pragma once
#include "07_cuda/witness/machine.h"

u8 *allocate(size_t bytes);
bool release(void *at);                      /* false: no piece begins there */
u8 *allocated_at(u64 address, size_t bytes); /* null: nothing is there */
