/*
 * score_gradient_row, asked of a worker (tools/grade/remote.h).
 */
#include "score_gradient_row.h"

#include "tools/grade/remote.h"

static void over(attention_row *r, float **ds)
{
    GIVE(r->scale);
    GIVE_MATRIX(r->V);
    GIVE_ALL(r->p, r->V.rows);
    GIVE_ALL(r->o, r->V.cols);
    GIVE_ALL(r->dO, r->V.cols);
    GIVE_ALL(r->t, r->V.rows);
    GIVE_ALL(*ds, r->V.rows);
}

#ifdef JUDGE
void score_gradient_row(float *ds, const attention_row *r)
{
    attention_row copy = *r;

    over(&copy, &ds);
    exchange();
    TAKE_ALL(ds, r->V.rows);
}
#else
void serve(void)
{
    attention_row r = {0};
    size_t n;
    float *ds;

    over(&r, &ds);
    n = r.V.rows;
    score_gradient_row(ds, &r);
    TAKE_ALL(ds, n);
}
#endif
