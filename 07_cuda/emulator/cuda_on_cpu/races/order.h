/* order.h: decides whether one access is complete before another begins, or
 * whether both orders are possible on a GPU. It uses two clocks.
 *
 * The epoch is one number for all threads. __syncthreads increments it, and
 * accesses of an earlier epoch are complete.
 *
 * Within an epoch each thread has its own clock, and stores the last known
 * values of the others' clocks (vector clocks, Lamport 1978, Mattern 1989). A
 * __syncwarp merges the clocks of its lanes.
 *
 * Actors access memory. They are the threads of the block, and agents, which
 * work asynchronously: a warpgroup's tensor core (wgmma.cpp), and the copies
 * that one mbarrier counts (tma.cpp). An agent's accesses are complete only for
 * the threads that waited for it. __syncthreads does not wait for agents: so in
 * a block with an agent it merges clocks and leaves the epoch unchanged. */
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

#include "07_cuda/emulator/cuda_on_cpu/fiber.h"

namespace emu
{
typedef uint16_t Actor;
constexpr unsigned max_agents = 32; /* per block */
constexpr unsigned max_actors = max_threads + max_agents;

/* Epochs are never reused: 0 means never, 1 means by the host. */
struct Time {
    uint32_t epoch;        /* the current one */
    uint32_t block_epoch;  /* the first one of this block */
    uint32_t launch_epoch; /* the first one of this launch */
    Actor me;              /* the running actor */
    Actor first_agent;     /* smaller numbers are threads */
};
extern Time now;

inline bool is_agent(Actor who)
{
    return who >= now.first_agent;
}

/* Each actor's own clock; and knows[a][b], the clock of b up to which its
 * accesses are complete for a. */
extern uint32_t clock_of[max_actors], knows[max_actors][max_actors];

inline uint32_t my_clock()
{
    return clock_of[now.me];
}

/* True if an access of `who` in this epoch, at that clock, is complete for the
 * running actor. */
inline bool is_over_by_clock(Actor who, uint32_t clock)
{
    return (who == now.me && !is_agent(who)) || knows[now.me][who] >= clock;
}

/* Like is_over_by_clock, for any epoch. */
inline bool is_over(Actor who, uint32_t epoch, uint32_t clock)
{
    return epoch < now.epoch || is_over_by_clock(who, clock);
}

void order_launch(unsigned threads);           /* begins a launch */
void order_block();                            /* begins a block */
void order_all();                              /* __syncthreads */
void order_some(const Actor *who, unsigned n); /* __syncwarp */
void forget_readers(); /* at a barrier: all reads are complete (shadow.cpp) */

/* A board is an array of clocks. publish merges an arriving thread's clocks
 * into it, learn merges it into a waiting thread's clocks. Mbarriers and named
 * barriers order accesses by it. n: the board's size, if it has fewer clocks
 * than there are actors. */
void publish(uint32_t *board, Actor who);
void learn(Actor who, const uint32_t *board, size_t n = max_actors);

unsigned actor_count(); /* threads, and this block's agents so far */

/* Returns a new agent of this block. */
Actor new_agent();
void name_agent(Actor agent, const std::string &name);
std::string actor_name(Actor who); /* "thread (3,0,0)", or the agent's name */

/* During its lifetime memory is accessed by this agent, with this clock and
 * these known clocks. */
struct ActingAs {
    Actor was = now.me;
    ActingAs(Actor agent, uint32_t clock, const uint32_t *known);
    ~ActingAs()
    {
        now.me = was;
    }
};

/* Stores the clocks that are known to all of these n threads, for an agent that
 * works for them. A thread's own accesses count for all, since they were before
 * the thread issued the operation. */
void known_to_all(Actor first, unsigned n, uint32_t *known);

/* Order between blocks by fences and atomics (releases.cpp). order_atomic is
 * called for the running thread's atomic at p. is_released is true if an access
 * of another block was published to the running thread. */
void order_atomic(const void *p);
bool is_released(Actor who, uint32_t epoch, uint32_t clock);
void forget_releases(bool of_launch); /* at the begin of a launch or block */

/* fence.proxy.async makes the running thread's earlier stores visible to tensor
 * cores. was_fenced: true if that holds for a store of `who` at that clock. */
void fence_proxy_async();
bool was_fenced(Actor who, uint32_t clock);
} // namespace emu
