/* order.h: decides whether one access is complete before another begins, or
 * whether a GPU may execute them in either order.
 *
 * The epoch is one number for all threads. A __syncthreads, a new block and a
 * launch increment it. This block's accesses in earlier epochs are complete.
 * Within an epoch each thread has a clock, and stores the last known values of
 * the other threads' clocks (vector clocks, Lamport 1978, Mattern 1989). A
 * __syncwarp merges the clocks of its lanes.
 *
 * An actor is a thread of the block, or an agent, which accesses memory
 * asynchronously. Agents are each warpgroup's products (wgmma.cpp) and the
 * copies of one mbarrier (tma.cpp). A thread's additions by TMA are two agents
 * (bulk.cpp). An agent's accesses are complete only for the threads that waited
 * for it. __syncthreads does not wait for agents. So in a block with an agent
 * it merges the threads' clocks and leaves the epoch unchanged. */
#pragma once
#include <stdint.h>

#include <string>

#include "tools/emulator/cuda_on_cpu/fiber.h"

namespace emu
{
typedef uint16_t Actor;
constexpr unsigned max_agents = 32; /* per block */
constexpr unsigned max_actors = max_threads + max_agents;

/* Epochs are never reused. In a cell, epoch 0 means never, and epoch 1 means an
 * access by the host. */
struct Time {
    uint32_t epoch;
    uint32_t block_epoch;  /* first epoch of this block */
    uint32_t launch_epoch; /* first epoch of this launch */
    Actor me;              /* the running actor */
    Actor first_agent;     /* smaller numbers are the threads */
};
extern Time now;

inline bool is_agent(Actor who)
{
    return who >= now.first_agent;
}

/* clock_of[a] is the clock of actor a. The accesses of b up to clock
 * knows[a][b] are complete for a. */
extern uint32_t clock_of[max_actors], knows[max_actors][max_actors];

inline uint32_t my_clock()
{
    return clock_of[now.me];
}

/* True if an access of `who` in the current epoch, at this clock of `who`, is
 * complete for the running actor. */
inline bool is_over_by_clock(Actor who, uint32_t clock)
{
    return (who == now.me && !is_agent(who)) || knows[now.me][who] >= clock;
}

/* Like is_over_by_clock, for an access in any epoch. */
inline bool is_over(Actor who, uint32_t epoch, uint32_t clock)
{
    return epoch < now.epoch || is_over_by_clock(who, clock);
}

void order_launch(unsigned threads);           /* begins a launch */
void order_block();                            /* begins a block */
void order_all();                              /* __syncthreads */
void order_some(const Actor *who, unsigned n); /* __syncwarp */

/* Removes the rows of readers (shadow.cpp). All reads must be complete. */
void clear_readers();

/* A board is an array of clocks, one per actor, for mbarriers and named
 * barriers. publish merges the clocks of an arriving thread into the board.
 * learn merges them into those of a thread that waited. */
void publish(uint32_t *board, Actor who);
void learn(Actor who, const uint32_t *board);

/* Returns the number of threads and of this block's agents so far. */
unsigned actor_count();

/* Adds an agent and returns it. `name` is for messages. Exits if the block has
 * max_agents already. */
Actor new_agent(const std::string &name);

/* Returns "thread (3,0,0)", or the name of an agent. */
std::string actor_name(Actor who);

/* While an ActingAs exists, `agent` is the running actor, with this clock. It
 * works for threads first to first + n - 1. An access of actor a is complete
 * for the agent if it is complete for all of these threads other than a. */
struct ActingAs {
    Actor was = now.me;
    ActingAs(Actor agent, uint32_t clock, unsigned first, unsigned n);
    ~ActingAs()
    {
        now.me = was;
    }
};

/* Records that the running thread waited for the agent up to this clock. */
void learn_agent(Actor agent, uint32_t clock);

/* Order between blocks by fences and atomics (releases.cpp). is_released is
 * true if an access of another block was published to the running thread. */
void order_atomic(const void *p);
bool is_released(Actor who, uint32_t epoch, uint32_t clock);

/* Removes the fences and acquires of a block when the next block begins. When a
 * launch begins, also removes what was published. */
void clear_releases(bool of_launch);

/* fence_proxy_async is PTX's fence.proxy.async. was_fenced is true if a store
 * of `who` at this clock is visible to TMA and tensor cores. */
void fence_proxy_async();
bool was_fenced(Actor who, uint32_t clock);
} // namespace emu
