/* order.cpp: epochs and vector clocks; see order.h. */
#include "order.h"

#include <string.h>

#include "readers.h"

emu::Time emu::now = {2, 2, 2, 0};

uint32_t emu::clock_of[max_actors];
uint32_t emu::knows[max_actors][max_actors];

static unsigned actors;

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
