/*
 * score_gradient_row, asked of a worker (tools/grade/remote.h).
 */
#include "score_gradient_row.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
void score_gradient_row(float *ds, const attention_row *r)
{
    bool capped = r->t;

    SAY(r->V.rows);
    SAY(r->V.cols);
    SAY(r->scale);
    SAY(capped);
    SAY_ALL(r->p, r->V.rows);
    for (size_t j = 0; j < r->V.rows; j++)
        SAY_ALL(row(r->V, j), r->V.cols);
    SAY_ALL(r->o, r->V.cols);
    SAY_ALL(r->dO, r->V.cols);
    if (capped)
        SAY_ALL(r->t, r->V.rows);
    exchange();
    HEAR_ALL(ds, r->V.rows);
}
#else
void serve(void)
{
    attention_row r = {0};
    size_t n, dv;
    bool capped;
    float *p, *v, *o, *dO, *t = NULL, *ds;

    HEAR(n);
    HEAR(dv);
    HEAR(r.scale);
    HEAR(capped);
    r.p = p = heard_floats(n);
    v = heard_floats(n * dv);
    r.V = matrix_of(v, n, dv);
    r.o = o = heard_floats(dv);
    r.dO = dO = heard_floats(dv);
    if (capped)
        r.t = t = heard_floats(n);
    ds = malloc(n * sizeof *ds);
    score_gradient_row(ds, &r);
    SAY_ALL(ds, n);
    free(p);
    free(v);
    free(o);
    free(dO);
    free(t);
    free(ds);
}
#endif
