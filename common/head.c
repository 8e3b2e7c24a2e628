/*
 * Cutting a head into blocks of queries, which are independent (head.h).
 */
#include "common/head.h"

static array rows_of(array a, size_t i0, size_t n)
{
    if (a.hbm.data)
        a.hbm = block(a.hbm, i0, 0, n, a.hbm.cols);
    return a;
}

head head_of_queries(const head *h, size_t i0, size_t n)
{
    head part = *h;

    part.Nq = n;
    part.Q = rows_of(h->Q, i0, n);
    part.mask = rows_of(h->mask, i0, n);
    part.O = rows_of(h->O, i0, n);
    part.L = rows_of(h->L, i0, n);
    part.kept.P = rows_of(h->kept.P, i0, n);
    part.kept.m = rows_of(h->kept.m, i0, n);
    part.kept.l = rows_of(h->kept.l, i0, n);
    part.offset += (long)i0;
    return part;
}
