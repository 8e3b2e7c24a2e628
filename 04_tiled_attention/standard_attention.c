/*
 * Standard attention has three matrix operations, and stores S and P in HBM.
 *
 *     S = scale Q K^T         P = softmax(S), in place         O = P V
 *
 * Changed since chapter 03: each row of scores is computed from a query and the
 * keys, and the weights of the row multiply the values. The softmax is chapter
 * 02's.
 *
 * K, later V, and one row of S are on chip for any M. So the traffic is the
 * least possible for three separate operations: 4 Nd + 4 N^2 elements.
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 0. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int standard_attention(const head *h, memory *mem)
{
    matrix K = on_chip_unbounded(mem, h->Nk, h->d);
    matrix V = on_chip_unbounded(mem, h->Nk, h->dv);
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix s = scratch(mem, 1, h->Nk);
    span keys = all(seen(h, all(h->Nq)));

    if (mem->error)
        return mem->error;

    load(mem, &K, h->K, keys);
    for (size_t i = 0; i < h->Nq; i++) { /* line 1: S = scale Q K^T */
        /* load */
        load(mem, &q, h->Q, one(i));
        /* scores */
        scores(h, mem, &s, q, K, one(i), all(seen(h, one(i))));
        store(mem, h->P, one(i), s);
    }

    for (size_t i = 0; i < h->Nq; i++) { /* line 2: P = softmax(S) */
        float m, l, L;

        s.cols = seen(h, one(i));
        load(mem, &s, h->P, one(i));
        /* update */
        m = max_of(s.data, s.cols);
        l = exponentiate(mem, h, s.data, s.cols, m);
        normalise(mem, s.data, l, s.cols);
        store(mem, h->P, one(i), s); /* P replaces S */
        L = m + logf(l);
        store_floats_as(mem, LSE, h->L, one(i), &L);
    }

    load(mem, &V, h->V, keys);
    for (size_t i = 0; i < h->Nq; i++) { /* line 3: O = P V */
        s.cols = V.rows = seen(h, one(i));
        load(mem, &s, h->P, one(i));
        /* finish */
        weighted_sum(o.data, s.data, V);
        store(mem, h->O, one(i), o);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
