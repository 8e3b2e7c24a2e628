/*
 * visit_tile, asked of a worker (tools/grade/remote.h).
 * the skeleton holds: a_masked_tile_changes_no_bit
 */
#include "visit_tile.h"

#include "tools/grade/remote.h"

static void over(query_row *r, float **s, size_t *n, matrix *V)
{
    GIVE(r->m);
    GIVE(r->l);
    GIVE(*n);
    GIVE_MATRIX(*V);
    GIVE_ALL(r->o, V->cols);
    GIVE_ALL(*s, *n);
}

static void back(query_row *r, size_t dv)
{
    TAKE(r->m);
    TAKE(r->l);
    TAKE_ALL(r->o, dv);
}

#ifdef JUDGE
void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    over(r, &s, &n, &V);
    exchange();
    back(r, V.cols);
}
#else
void serve(void)
{
    query_row r;
    size_t n;
    float *s;
    matrix V;

    over(&r, &s, &n, &V);
    visit_tile(&r, s, n, V);
    back(&r, V.cols);
}
#endif
