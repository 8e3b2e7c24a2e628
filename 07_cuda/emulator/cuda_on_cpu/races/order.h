/* order.h: which accesses are over before which others begin, and which could
 * happen in either order on a GPU. Two clocks tell:
 *
 * the epoch, one number for all: __syncthreads adds one, and what a
 * thread of the block did in an earlier epoch is over;
 *
 * within an epoch, each thread's own clock, and its knowledge of the
 * others' clocks (vector clocks, Lamport 1978, Mattern 1989): a
 * __syncwarp merges the clocks of its lanes.
 *
 * Actors access memory: the threads of the block, and agents
 * that work on their own while threads go on: a warpgroup's tensor core
 * (wgmma.cpp), the copies that one mbarrier counts (tma.cpp). What an agent
 * does is over for the threads that waited for it, and __syncthreads is no such
 * wait. So once a block has an agent, its epoch stays, and __syncthreads orders
 * by clocks instead. */
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

#include "07_cuda/emulator/cuda_on_cpu/fiber.h"

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
    Actor me;              /* the running actor */
    Actor first_agent;     /* actors below it are threads */
};
extern Time now;

inline bool is_agent(Actor who)
{
    return who >= now.first_agent;
}

/* Each actor's own clock; and knows[a][b], the latest moment of b that a
 * knows to be over. */
extern uint32_t clock_of[max_actors], knows[max_actors][max_actors];

inline uint32_t my_clock()
{
    return clock_of[now.me];
}

/* True if what `who` did in this epoch, at that clock, is known to be over by
 * the running actor. */
inline bool i_know(Actor who, uint32_t clock)
{
    return (who == now.me && !is_agent(who)) || knows[now.me][who] >= clock;
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
void forget_readers(); /* a barrier ends every read before it (shadow.cpp) */

/* A board is a row of clocks, of max_actors: an arriving thread merges its
 * clocks into it, a waiting one reads them. So mbarriers and named barriers
 * order. */
void publish(uint32_t *board, Actor who);
void learn(Actor who, const uint32_t *board);
void learn(Actor who, const std::vector<uint32_t> &board);

unsigned actor_count(); /* threads, and this block's agents so far */

/* A new agent of this block; its clock only grows while a launch lasts. */
Actor new_agent();
void name_agent(Actor agent, const std::string &name);
std::string actor_name(Actor who); /* "thread (3,0,0)", or the agent's name */

/* While it lives, memory is accessed as this agent, with the given row of
 * clocks as its only knowledge. */
struct ActingAs {
    Actor was = now.me;
    ActingAs(Actor agent, uint32_t clock, const uint32_t *known);
    ~ActingAs()
    {
        now.me = was;
    }
};

/* What these n threads all know to be over, for an agent that works for
 * them. What only one of them did counts: they issued it after that. */
void known_to_all(Actor first, unsigned n, uint32_t *known);

/* Order between blocks by fences and atomics (releases.cpp): the running
 * thread's atomic at p; was an access of another block published to the running
 * thread? */
void order_atomic(const void *p);
bool is_released(Actor who, uint32_t epoch, uint32_t clock);
void forget_releases(bool of_launch); /* a launch or a block begins */

/* fence.proxy.async: the running thread's stores so far may be seen by tensor
 * cores. Was that so for what `who` did at that clock? */
void fence_proxy_async();
bool was_fenced(Actor who, uint32_t clock);
} // namespace emu
