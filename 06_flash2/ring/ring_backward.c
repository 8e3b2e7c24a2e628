/*
 * The backward pass on the ring: ranks also send dK and dV to the next rank.
 *
 * Changed since ring: a rank also adds to dK and dV of its current keys, and
 * then sends them to the next rank. After P rounds their owner has received
 * them. dQ, dO, L and D belong to queries and are not sent.
 *
 * Liu, Zaharia and Abbeel, Ring Attention, arXiv 2310.01889. docs/ring.md
 */
#include "06_flash2/ring/messages.h"
#include "06_flash2/ring/steps.h"

/* ANCHOR: kernel */
int ring_backward(rank *me)
{
    const ring_problem *p = &me->p;
    size_t P = me->P, next = (me->r + 1) % P, before = (me->r + P - 1) % P;
    size_t room = p->Hk * largest_share(me->owns, p->Nk, P);
    float *K = floats_of(me, room, p->d), *V = floats_of(me, room, p->dv);
    float *dK = floats_of(me, room, p->d), *dV = floats_of(me, room, p->dv);
    float *part = floats_of(me, me->q.n, p->d); /* dQ of one flash2_backward */

    if (out_of_memory(me))
        return 1;
    begin_back(me);
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
        attend_back(me, here, me->K, me->V, part, begun, messages);
        MPI_Waitall(begun, messages, MPI_STATUSES_IGNORE);
        /* the last exchange returns dK and dV to their owner */
        exchange(me, floats_at(me->dK, n * p->d), next,
                 floats_at(dK, n_in * p->d), before);
        exchange(me, floats_at(me->dV, n * p->dv), next,
                 floats_at(dV, n_in * p->dv), before);
        swap(&me->K, &K);
        swap(&me->V, &V);
        swap(&me->dK, &dK);
        swap(&me->dV, &dV);
    }
    return 0;
}
/* ANCHOR_END: kernel */
