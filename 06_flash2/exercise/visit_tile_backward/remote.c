/*
 * visit_tile_backward, asked of a worker (tools/grade/remote.h).
 * points: 20
 * the skeleton holds: one_key_has_no_dK
 */
#include "visit_tile_backward.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

static void over(query_tile *q, key_tile *k, float *scale, bool *first)
{
    GIVE(*scale);
    GIVE(*first);
    GIVE_MATRIX(q->Q);
    GIVE_MATRIX(q->O);
    GIVE_MATRIX(q->dO);
    GIVE_ALL(q->L, q->Q.rows);
    GIVE_MATRIX(q->dQ);
    GIVE_MATRIX(k->K);
    GIVE_MATRIX(k->V);
    GIVE_MATRIX(k->dK);
    GIVE_MATRIX(k->dV);
}

static void back(query_tile *q, key_tile *k)
{
    TAKE_MATRIX(q->dQ);
    TAKE_MATRIX(k->dK);
    TAKE_MATRIX(k->dV);
}

#ifdef JUDGE
void visit_tile_backward(query_tile *q, key_tile *k, float scale, bool first,
                         float *scratch)
{
    query_tile q_copy = *q;
    key_tile k_copy = *k;

    (void)scratch;
    over(&q_copy, &k_copy, &scale, &first);
    exchange();
    back(q, k);
}
#else
void serve(void)
{
    query_tile q, q_theirs;
    key_tile k, k_theirs;
    float scale, *scratch;
    bool first;

    over(&q, &k, &scale, &first);
    scratch = malloc(2 * k.K.rows * sizeof *scratch);
    q_theirs = q;
    k_theirs = k;
    visit_tile_backward(&q_theirs, &k_theirs, scale, first, scratch);
    back(&q, &k);
    free(scratch);
}
#endif
