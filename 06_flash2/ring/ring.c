/*
 * Ring: each rank sends its current keys to the next rank, P - 1 times.
 *
 * Changed since gather: while a rank computes with its current keys, it sends
 * them and receives the next ones. The results of all keys are merged. Each
 * rank needs memory for the keys of two ranks instead of all keys.
 *
 * Liu, Zaharia and Abbeel, Ring Attention with Blockwise Transformers for
 * Near-Infinite Context, arXiv 2310.01889. docs/ring.md
 */
#include "06_flash2/ring/messages.h"
#include "06_flash2/ring/steps.h"

/* ANCHOR: kernel */
int ring(rank *me)
{
    const ring_problem *p = &me->p;
    size_t P = me->P, next = (me->r + 1) % P, before = (me->r + P - 1) % P;
    size_t room = p->Hk * largest_share(me->owns, p->Nk, P);
    float *K = floats_of(me, room, p->d), *V = floats_of(me, room, p->dv);

    if (out_of_memory(me))
        return 1;
    begin(me);
    for (size_t t = 0; t < P; t++) {
        share here = share_of(me->owns, p->Nk, P, (me->r + P - t) % P);
        share coming = share_of(me->owns, p->Nk, P, (before + P - t) % P);
        size_t n = p->Hk * here.n, n_in = p->Hk * coming.n;
        MPI_Request messages[4];
        int begun = t + 1 < P ? 4 : 0; /* the last keys are not sent */

        if (begun) {
            pass(me, &messages[0], floats_at(me->K, n * p->d), next,
                 floats_at(K, n_in * p->d), before);
            pass(me, &messages[2], floats_at(me->V, n * p->dv), next,
                 floats_at(V, n_in * p->dv), before);
        }
        attend_share(me, here, me->K, me->V, begun, messages);
        MPI_Waitall(begun, messages, MPI_STATUSES_IGNORE);
        swap(&me->K, &K);
        swap(&me->V, &V);
    }
    finish(me);
    return 0;
}
/* ANCHOR_END: kernel */
