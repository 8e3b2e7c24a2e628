/*
 * Tree: for a few queries and very many keys, keys stay where they are.
 *
 * Changed since split_kv: its parts are ranks. When a model writes, there is
 * one new query, and everybody has it. Each rank attends to its own keys; what
 * travels is what they came to, (m, l, O), a row for each head, whatever N is.
 * Each rank merges one part of those rows (a reduce-scatter), then everybody
 * is given all of them (an all-gather): that is what an all-reduce of large
 * data does inside, written out with the merge in place of a sum.
 *
 * Shyam et al., Tree Attention, arXiv 2408.04093. docs/ring.md
 */
#include "06_flash2/ring/messages.h"
#include "06_flash2/ring/steps.h"
#include "common/scores.h"

/* ANCHOR: kernel */
/* Of the rows of the result, those that rank r merges. */
static piece part_of(const rank *me, size_t r)
{
    chunk c = cut(me->result.rows, me->P, r);

    return floats_at(row(me->result, c.first), c.n * me->result.cols);
}

static void merge_parts(rank *me, float *theirs)
{
    chunk mine = cut(me->result.rows, me->P, me->r);
    size_t P = me->P, cols = me->result.cols;

    for (size_t t = 1; t < P; t++) { /* everybody else's part of my rows */
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
