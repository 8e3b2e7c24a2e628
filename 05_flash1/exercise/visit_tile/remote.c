/*
 * visit_tile, asked of a worker (tools/grade/remote.h).
 */
#include "visit_tile.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    SAY(r->m);
    SAY(r->l);
    SAY(n);
    SAY(V.cols);
    SAY_ALL(r->o, V.cols);
    SAY_ALL(s, n);
    for (size_t j = 0; j < n; j++)
        SAY_ALL(row(V, j), V.cols);
    exchange();
    HEAR(r->m);
    HEAR(r->l);
    HEAR_ALL(r->o, V.cols);
}
#else
void serve(void)
{
    query_row r;
    size_t n, dv;
    float *s, *v;

    HEAR(r.m);
    HEAR(r.l);
    HEAR(n);
    HEAR(dv);
    r.o = heard_floats(dv);
    s = heard_floats(n);
    v = heard_floats(n * dv);
    visit_tile(&r, s, n, matrix_of(v, n, dv));
    SAY(r.m);
    SAY(r.l);
    SAY_ALL(r.o, dv);
    free(r.o);
    free(s);
    free(v);
}
#endif
