/* time.h: who touches memory, and when (order.h says what follows from it). */
#pragma once
#include <stdint.h>

#include "07_cuda/cuda_on_cpu/fiber.h"

namespace emu
{
typedef uint16_t Actor;
constexpr unsigned max_agents = 32; /* of a block */
constexpr unsigned max_actors = max_threads + max_agents;

/* Epochs are never reused: 0 is "never", 1 is "by the host". */
struct Time {
    uint32_t epoch;        /* now */
    uint32_t block_epoch;  /* when this block began */
    uint32_t launch_epoch; /* when this launch began */
    Actor me;              /* who is running */
    Actor first_agent;     /* actors below it are threads */
};
extern Time now;
} // namespace emu
