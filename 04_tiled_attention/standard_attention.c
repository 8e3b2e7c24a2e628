/*
 * Standard attention: three matrix operations, with S and P stored in HBM.
 *
 *     S = scale Q K^T         P = softmax(S), in place         O = P V
 *
 * What changed since chapter 03: the subject. A row of scores is now computed
 * from a query and the keys, and its weights are used to sum values. The
 * softmax is still chapter 02's.
 *
 * K, then V, and one row of S stay on chip, however little memory there is:
 * that is the floor of what S costs, 4 Nd + 4 N^2 elements through HBM.
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 0. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int standard_attention(const head *h, memory *mem)
{
    matrix K = on_chip_whatever_M(mem, h->Nk, h->d);
    matrix V = on_chip_whatever_M(mem, h->Nk, h->dv);
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix s_row = scratch(mem, 1, h->Nk);
    array S = hbm_kept(mem, h->kept.P, h->Nq, h->Nk, h->stored);
    size_t seen = keys_seen_by(h, 0, h->Nq);

    if (mem->error)
        return mem->error;

    load(mem, top(K, seen), h->K, 0, 0);
    for (size_t i = 0; i < h->Nq; i++) { /* line 1: S = scale Q K^T */
        matrix s = block(s_row, 0, 0, 1, keys_seen(h, i));

        /* load */
        load(mem, q, h->Q, i, 0);
        /* scores */
        scores(h, mem, s, q, K, i, 0);
        store(mem, S, i, 0, s);
    }

    for (size_t i = 0; i < h->Nq; i++) { /* line 2: P = softmax(S) */
        matrix s = block(s_row, 0, 0, 1, keys_seen(h, i));
        float m, l, L;

        load(mem, s, S, i, 0);
        /* update */
        m = fmaxf(m_before(h), max_of(s.data, s.cols));
        l = exp_minus(m_before(h), m) + weights(h, s.data, s.cols, m);
        normalise(s.data, l, s.cols);
        count(mem, (counts){.exps = s.cols, .divisions = s.cols});
        store(mem, S, i, 0, s); /* P in the place of S */
        L = m + logf(l);
        store_as(mem, LSE, h->L, i, 0, column(&L, 1));
    }

    load(mem, top(V, seen), h->V, 0, 0);
    for (size_t i = 0; i < h->Nq; i++) { /* line 3: O = P V */
        matrix s = block(s_row, 0, 0, 1, keys_seen(h, i));

        load(mem, s, S, i, 0);
        /* finish */
        weighted_sum(o.data, s.data, top(V, s.cols));
        store(mem, h->O, i, 0, o);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
