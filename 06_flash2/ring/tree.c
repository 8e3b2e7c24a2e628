/*
 * Tree: for few queries and very many keys, ranks send results, not keys.
 *
 * Changed since split_kv: its parts are ranks. A model that generates text has
 * one new query, and every rank has a copy. Each rank attends to its own keys
 * and sends the result (m, l, O), one row per head for any N. Each rank merges
 * one part of those rows (reduce-scatter), then receives the other merged parts
 * (all-gather). Together that is an all-reduce with the merge as its sum.
 *
 * Shyam et al., Tree Attention, arXiv 2408.04093. docs/ring.md
 */
#include "06_flash2/ring/messages.h"
#include "06_flash2/ring/steps.h"
#include "common/scores.h"

/* ANCHOR: kernel */
/* Returns the rows of the result that rank r merges. */
static piece part_of(const rank *me, size_t r)
{
    chunk c = cut(me->result.rows, me->P, r);

    return floats_at(row(me->result, c.first), c.n * me->result.cols);
}

static void merge_parts(rank *me, float *theirs)
{
    chunk mine = cut(me->result.rows, me->P, me->r);
    size_t P = me->P, cols = me->result.cols;

    for (size_t t = 1; t < P; t++) { /* the other ranks' results */
        size_t to = (me->r + t) % P, from = (me->r + P - t) % P;

        exchange(me, part_of(me, to), to, floats_at(theirs, mine.n * cols),
                 from);
        for (size_t i = 0; i < mine.n; i++) {
            const float *part = theirs + i * cols;
            float *all = row(me->result, mine.first + i);

            merge_part(&me->chip, &all[0], &all[1], all + 2, part[0], part[1],
                       part + 2, me->p.dv);
        }
    }
}

int tree(rank *me)
{
    size_t P = me->P, next = (me->r + 1) % P, before = (me->r + P - 1) % P;
    chunk mine = cut(me->result.rows, P, me->r);
    float *theirs = floats_of(me, mine.n, me->result.cols);

    if (out_of_memory(me))
        return 1;
    begin(me);
    attend_share(me, me->k, me->K, me->V, 0, NULL);
    merge_parts(me, theirs);
    for (size_t t = 0; t + 1 < P; t++) /* merged parts, round the ring */
        exchange(me, part_of(me, (me->r + P - t) % P), next,
                 part_of(me, (before + P - t) % P), before);
    finish(me);
    return 0;
}
/* ANCHOR_END: kernel */
