/* order.cpp: epochs and vector clocks; see order.h. */
#include "order.h"

#include <string.h>

#include "shadow.h"

emu::Time emu::now = {2, 2, 2, 0};

namespace
{
unsigned actors;
uint32_t clock_of[emu::max_actors];

/* knows[a][b]: the latest moment of b that a knows to be over. */
uint32_t knows[emu::max_actors][emu::max_actors];
} // namespace

uint32_t emu::my_clock()
{
    return clock_of[now.me];
}

bool emu::i_know(Actor who, uint32_t clock)
{
    return who == now.me || knows[now.me][who] >= clock;
}

bool emu::is_over(Actor who, uint32_t epoch, uint32_t clock)
{
    return epoch < now.epoch || i_know(who, clock);
}

void emu::order_launch(unsigned threads)
{
    actors = threads;
    for (unsigned a = 0; a < actors; a++) {
        memset(knows[a], 0, sizeof knows[a]);
        clock_of[a] = 1;
    }
    now.launch_epoch = now.block_epoch = ++now.epoch;
}

void emu::order_block()
{
    now.block_epoch = ++now.epoch;
    forget_readers();
}

void emu::order_all()
{
    now.epoch++;
    forget_readers();
}

/* ANCHOR: order */
void emu::order_some(const Actor *who, unsigned n)
{
    uint32_t all[max_actors] = {0};
    for (unsigned i = 0; i < n; i++) {
        uint32_t *mine = knows[who[i]];
        mine[who[i]] = clock_of[who[i]]++; /* what I did so far is over */
        for (unsigned a = 0; a < actors; a++)
            if (mine[a] > all[a])
                all[a] = mine[a];
    }
    for (unsigned i = 0; i < n; i++)
        memcpy(knows[who[i]], all, actors * sizeof *all);
}
/* ANCHOR_END: order */
