/*
 * Zigzag: the ring with a balanced causal mask.
 *
 * Changed since ring: rank r owns chunks r and 2P - 1 - r. With a causal mask
 * the last query sees all keys, and the first query sees one. With neighbouring
 * rows all ranks would wait for rank P - 1. An early chunk costs little and a
 * late chunk costs much, so all ranks have about the same work.
 *
 * docs/ring.md
 */
#include "06_flash2/ring/steps.h"

/* ANCHOR: kernel */
size_t folded(size_t P, size_t r, size_t half)
{
    return half ? 2 * P - 1 - r : r;
}

int zigzag(rank *me)
{
    return ring(me); /* me->owns is folded */
}
/* ANCHOR_END: kernel */
