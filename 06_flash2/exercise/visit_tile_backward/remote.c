/*
 * visit_tile_backward, asked of a worker (tools/grade/remote.h).
 */
#include "visit_tile_backward.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
static void say_matrix(matrix a)
{
    SAY(a.rows);
    SAY(a.cols);
    for (size_t i = 0; i < a.rows; i++)
        SAY_ALL(row(a, i), a.cols);
}

static void hear_matrix(matrix a)
{
    for (size_t i = 0; i < a.rows; i++)
        HEAR_ALL(row(a, i), a.cols);
}

void visit_tile_backward(query_tile *q, key_tile *k, float scale, bool first,
                         float *scratch)
{
    (void)scratch;
    SAY(scale);
    SAY(first);
    say_matrix(q->Q);
    say_matrix(q->O);
    say_matrix(q->dO);
    SAY_ALL(q->L, q->Q.rows);
    say_matrix(q->dQ);
    say_matrix(k->K);
    say_matrix(k->V);
    say_matrix(k->dK);
    say_matrix(k->dV);
    exchange();
    hear_matrix(q->dQ);
    hear_matrix(k->dK);
    hear_matrix(k->dV);
}
#else
static matrix heard_matrix(void)
{
    size_t rows, cols;

    HEAR(rows);
    HEAR(cols);
    return matrix_of(heard_floats(rows * cols), rows, cols);
}

void serve(void)
{
    query_tile q;
    key_tile k;
    float scale, *L, *scratch;
    bool first;

    HEAR(scale);
    HEAR(first);
    q.Q = heard_matrix();
    q.O = heard_matrix();
    q.dO = heard_matrix();
    q.L = L = heard_floats(q.Q.rows);
    q.dQ = heard_matrix();
    k.K = heard_matrix();
    k.V = heard_matrix();
    k.dK = heard_matrix();
    k.dV = heard_matrix();
    scratch = malloc(2 * k.K.rows * sizeof *scratch);

    matrix all[] = {q.Q, q.O, q.dO, q.dQ, k.K, k.V, k.dK, k.dV};
    matrix dQ = q.dQ, dK = k.dK, dV = k.dV;

    visit_tile_backward(&q, &k, scale, first, scratch);
    SAY_ALL(dQ.data, dQ.rows * dQ.cols);
    SAY_ALL(dK.data, dK.rows * dK.cols);
    SAY_ALL(dV.data, dV.rows * dV.cols);
    for (size_t a = 0; a < sizeof all / sizeof all[0]; a++)
        free(all[a].data);
    free(L);
    free(scratch);
}
#endif
