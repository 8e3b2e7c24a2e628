/*
 * Ulysses: ranks divide the heads instead of the rows.
 *
 * Changed since gather: heads are independent. In an all-to-all exchange each
 * rank receives all rows of Hq / P heads. It runs flash2 on them and sends the
 * rows of O back. The bytes per rank decrease with P. But heads that share keys
 * stay on one rank, so ranks beyond the number of key heads are idle.
 *
 * Jacobs et al., DeepSpeed Ulysses, arXiv 2309.14509. docs/ring.md
 */
#include "06_flash2/ring/messages.h"
#include "06_flash2/ring/steps.h"

/* ANCHOR: kernel */
/* Whole groups: key heads with all their query heads. */
chunk heads_at(const ring_problem *p, size_t H, size_t P, size_t r)
{
    chunk k = cut(p->Hk, P, r);
    size_t group = H / p->Hk;

    return (chunk){k.first * group, k.n * group};
}

/* All rows of this rank's heads; of them the rows that rank r owns. */
static piece rows_of_rank(const rank *me, float *whole, size_t H, size_t N,
                          size_t r, size_t width, size_t stride)
{
    share s = share_of(me->owns, N, me->P, r);
    chunk mine = heads_at(&me->p, H, me->P, me->r);

    return rows_at(whole + s.part[0].first * stride, mine.n, s.n, N, width,
                   stride);
}

/* This rank's rows of all heads; of them the heads that rank r attends to. */
static piece heads_of_rank(const rank *me, float *mine, size_t H, size_t n,
                           size_t r, size_t width, size_t stride)
{
    chunk theirs = heads_at(&me->p, H, me->P, r);

    return rows_at(mine + theirs.first * n * stride, theirs.n, n, n, width,
                   stride);
}

static void rows_to_heads(const rank *me, float *mine, size_t n, float *whole,
                          size_t H, size_t N, size_t cols)
{
    for (size_t t = 0; t < me->P; t++) {
        size_t to = (me->r + t) % me->P, from = (me->r + me->P - t) % me->P;

        exchange(me, heads_of_rank(me, mine, H, n, to, cols, cols), to,
                 rows_of_rank(me, whole, H, N, from, cols, cols), from);
    }
}

/* Sends (L, O) back to the owners of the rows; column 0 (m) is not sent. */
static void heads_to_rows(const rank *me, float *whole)
{
    const ring_problem *p = &me->p;
    size_t width = p->dv + 1, stride = p->dv + 2;

    for (size_t t = 0; t < me->P; t++) {
        size_t to = (me->r + t) % me->P, from = (me->r + me->P - t) % me->P;

        exchange(me,
                 rows_of_rank(me, whole + 1, p->Hq, p->Nq, to, width, stride),
                 to,
                 heads_of_rank(me, me->result.data + 1, p->Hq, me->q.n, from,
                               width, stride),
                 from);
    }
}

int ulysses(rank *me)
{
    const ring_problem *p = &me->p;
    size_t Hq = heads_at(p, p->Hq, me->P, me->r).n;
    size_t Hk = heads_at(p, p->Hk, me->P, me->r).n;
    rank alone = *me; /* the same rank, with fewer heads and every row */
    float *K = floats_of(me, Hk * p->Nk, p->d);
    float *V = floats_of(me, Hk * p->Nk, p->dv);

    alone.Q = floats_of(me, Hq * p->Nq, p->d);
    alone.result =
        matrix_of(floats_of(me, Hq * p->Nq, p->dv + 2), Hq * p->Nq, p->dv + 2);
    if (out_of_memory(me))
        return 1;
    alone.p.Hq = Hq;
    alone.p.Hk = Hk;
    alone.q = everything(p->Nq);

    rows_to_heads(me, me->Q, me->q.n, alone.Q, p->Hq, p->Nq, p->d);
    rows_to_heads(me, me->K, me->k.n, K, p->Hk, p->Nk, p->d);
    rows_to_heads(me, me->V, me->k.n, V, p->Hk, p->Nk, p->dv);
    attend_all_keys(&alone, K, V);
    heads_to_rows(me, alone.result.data);
    me->pairs = alone.pairs;
    return 0;
}
/* ANCHOR_END: kernel */
