/*
 * Zigzag: the ring, with the work of a causal mask shared out evenly.
 *
 * Changed since ring: who owns which rows. Under a causal mask the last query
 * sees all keys and the first one sees one, so that with neighbouring rows the
 * last rank works nearly twice as long as the average, and all wait for it.
 * Fold the sequence: rank r owns chunk r and, of the end, chunk 2P - 1 - r. An
 * early chunk is cheap, a late one dear, and all pairs cost the same.
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
    return ring(me); /* me->owns knows whose rows are whose */
}
/* ANCHOR_END: kernel */
