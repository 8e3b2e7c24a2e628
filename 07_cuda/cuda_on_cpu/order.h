/* order.h: which accesses are over before which others begin, and which could
 * happen in either order on a GPU. Two clocks tell:
 *
 * the epoch, one number for all: __syncthreads adds one, and whatever a
 * thread of the block did in an earlier epoch is over;
 *
 * within an epoch, each thread's own clock, and what each thread knows of
 * the others' clocks (vector clocks, Lamport 1978, Mattern 1989): a
 * __syncwarp makes its lanes tell each other all they know.
 *
 * An Actor is whoever touches memory: so far, the threads of the block. */
#pragma once
#include <stdint.h>

#include "fiber.h"

namespace emu
{
typedef uint16_t Actor;
constexpr unsigned max_actors = max_threads;

/* Epochs are never reused: 0 is "never", 1 is "by the host". */
struct Time {
    uint32_t epoch;        /* now */
    uint32_t block_epoch;  /* when this block began */
    uint32_t launch_epoch; /* when this launch began */
    Actor me;              /* who is running */
};
extern Time now;

/* Each actor's own clock; and knows[a][b], the latest moment of b that a
 * knows to be over. */
extern uint32_t clock_of[max_actors], knows[max_actors][max_actors];

inline uint32_t my_clock()
{
    return clock_of[now.me];
}

/* Is what `who` did in this epoch, at that clock, certainly over for whoever
 * runs now? */
inline bool i_know(Actor who, uint32_t clock)
{
    return who == now.me || knows[now.me][who] >= clock;
}

/* The same, for any epoch. */
inline bool is_over(Actor who, uint32_t epoch, uint32_t clock)
{
    return epoch < now.epoch || i_know(who, clock);
}

void order_launch(unsigned threads);           /* a launch begins */
void order_block();                            /* a block begins */
void order_all();                              /* __syncthreads */
void order_some(const Actor *who, unsigned n); /* __syncwarp */
} // namespace emu
