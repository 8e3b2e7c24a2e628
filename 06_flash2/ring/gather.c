/*
 * Gather: every rank collects all keys and values, then runs flash2.
 *
 * Changed since flash2: in the first of P - 1 rounds a rank sends its own rows
 * to the next rank. In later rounds it sends the rows received just before.
 * Every rank needs memory for all of K and V. docs/ring.md
 */
#include "06_flash2/ring/messages.h"
#include "06_flash2/ring/steps.h"

/* ANCHOR: kernel */
/* Returns the rows that rank `whose` owns, in an array of all rows. */
static piece place(const rank *me, float *all, size_t whose, size_t cols)
{
    size_t N = me->p.Nk;
    share s = share_of(me->owns, N, me->P, whose);

    return rows_at(all + s.part[0].first * cols, me->p.Hk, s.n, N, cols);
}

static void all_gather(const rank *me, float *mine, float *all, size_t cols)
{
    size_t P = me->P, next = (me->r + 1) % P, before = (me->r + P - 1) % P;
    piece own = floats_at(mine, me->p.Hk * me->k.n * cols);

    exchange(me, own, me->r, place(me, all, me->r, cols), me->r);
    for (size_t t = 0; t + 1 < P; t++) {
        size_t whose = (me->r + P - t) % P;

        exchange(me, place(me, all, whose, cols), next,
                 place(me, all, (whose + P - 1) % P, cols), before);
    }
}

int gather(rank *me)
{
    const ring_problem *p = &me->p;
    float *K = floats_of(me, p->Hk * p->Nk, p->d); /* all keys */
    float *V = floats_of(me, p->Hk * p->Nk, p->dv);

    if (out_of_memory(me))
        return 1;
    all_gather(me, me->K, K, p->d);
    all_gather(me, me->V, V, p->dv);
    attend_all_keys(me, K, V);
    return 0;
}
/* ANCHOR_END: kernel */
