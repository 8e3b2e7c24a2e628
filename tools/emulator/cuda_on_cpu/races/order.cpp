/* order.cpp: epochs and vector clocks; see order.h. */
#include "tools/emulator/cuda_on_cpu/races/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "tools/emulator/cuda_on_cpu/findings.h"

emu::Time emu::now = {2, 2, 2, 0, 0};

uint32_t emu::clock_of[max_actors];
uint32_t emu::knows[max_actors][max_actors];

static unsigned threads, actors;
static uint32_t fenced[emu::max_threads];
static std::string agent_names[emu::max_agents];

void emu::order_launch(unsigned n)
{
    threads = actors = n;
    now.first_agent = (Actor)n;
    memset(fenced, 0, sizeof fenced);
    for (unsigned a = 0; a < actors; a++) {
        memset(knows[a], 0, sizeof knows[a]);
        clock_of[a] = 1;
    }
    now.launch_epoch = now.block_epoch = ++now.epoch;
    clear_releases(true);
}

void emu::order_block()
{
    now.block_epoch = ++now.epoch;
    actors = threads;
    clear_readers();
    clear_releases(false);
}

void emu::order_all()
{
    if (actors > threads) {
        Actor all[max_threads];
        for (unsigned t = 0; t < threads; t++)
            all[t] = (Actor)t;
        order_some(all, threads);
        return;
    }
    now.epoch++;
    clear_readers();
}

void emu::order_some(const Actor *who, unsigned n)
{
    uint32_t all[max_actors] = {0};
    for (unsigned i = 0; i < n; i++) {
        uint32_t *mine = knows[who[i]];
        mine[who[i]] = clock_of[who[i]]++; /* accesses so far are complete */
        for (unsigned a = 0; a < actors; a++)
            all[a] = std::max(all[a], mine[a]);
    }
    for (unsigned i = 0; i < n; i++)
        memcpy(knows[who[i]], all, actors * sizeof *all);
}

void emu::publish(uint32_t *board, Actor who)
{
    uint32_t *mine = knows[who];
    mine[who] = clock_of[who]++;
    for (unsigned a = 0; a < actors; a++)
        board[a] = std::max(board[a], mine[a]);
}

void emu::learn(Actor who, const uint32_t *board)
{
    uint32_t *mine = knows[who];
    for (unsigned a = 0; a < actors; a++)
        mine[a] = std::max(mine[a], board[a]);
}

void emu::learn_agent(Actor agent, uint32_t clock)
{
    uint32_t &known = knows[now.me][agent];
    known = std::max(known, clock);
}

unsigned emu::actor_count()
{
    return actors;
}

emu::Actor emu::new_agent(const std::string &name)
{
    if (actors == threads + max_agents) {
        fprintf(stderr,
                "cuda_on_cpu: a block has more than %u warpgroups with wgmma, "
                "mbarriers with TMA loads and threads with TMA additions\n",
                max_agents);
        exit(1);
    }
    agent_names[actors - threads] = name;
    return (Actor)actors++;
}

std::string emu::actor_name(Actor who)
{
    return is_agent(who) ? agent_names[who - threads]
                         : "thread " + thread_name(who);
}

emu::ActingAs::ActingAs(Actor agent, uint32_t clock, unsigned first, unsigned n)
{
    uint32_t *known = knows[agent];
    now.me = agent;
    clock_of[agent] = clock;
    memset(known, 0xff, actors * sizeof *known);
    for (unsigned t = first; t < first + n; t++)
        for (unsigned a = 0; a < actors; a++)
            if (a != t)
                known[a] = std::min(known[a], knows[t][a]);
}

void emu::fence_proxy_async()
{
    fenced[now.me] = clock_of[now.me]++;
}

bool emu::was_fenced(Actor who, uint32_t clock)
{
    return is_agent(who) || fenced[who] >= clock;
}
