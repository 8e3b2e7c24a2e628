/*
 * Three-pass attention: S is not stored; each pass of safe softmax computes
 * its scores again.
 *
 * Changed since standard_attention: the N^2 elements of S leave HBM, and the
 * keys come from there once for every query and every pass.
 *
 *     m   = max_j s_j                                            pass 1
 *     l   = sum_j e^{s_j - m}                                    pass 2
 *     o   = sum_j (e^{s_j - m} / l) v_j                          pass 3
 *
 * The 3-pass form from which Zihao Ye, "From Online Softmax to
 * FlashAttention", sets out. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int three_pass_attention(const head *h, memory *mem)
{
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix k = on_chip(mem, 1, h->d), v = on_chip(mem, 1, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        float m = m_before(h), l, s, L;

        load(mem, q, h->Q, i, 0);
        fill(o, 0);
        for (size_t j = 0; j < keys_seen(h, i); j++) { /* pass 1 */
            load(mem, k, h->K, j, 0);
            s = score(h, mem, q, k, i, j);
            m = fmaxf(m, s);
        }
        l = exp_minus(m_before(h), m);                 /* a sink's, or 0 */
        for (size_t j = 0; j < keys_seen(h, i); j++) { /* pass 2 */
            load(mem, k, h->K, j, 0);
            s = score(h, mem, q, k, i, j);
            l += exp_minus(s, m);
            count(mem, (counts){.exps = 1});
        }
        for (size_t j = 0; j < keys_seen(h, i); j++) { /* pass 3 */
            /* load */
            load(mem, k, h->K, j, 0);
            load(mem, v, h->V, j, 0);
            /* scores */
            s = score(h, mem, q, k, i, j);
            /* update */
            weights(h, &s, 1, m); /* s becomes e^{s - m}, */
            s *= inverse(l);      /* then p, the weight of v */
            add_weighted(o.data, &s, v);
            count(mem, (counts){.exps = 1, .divisions = 1});
        }
        /* finish */
        store(mem, h->O, i, 0, o);
        L = m + logf(l);
        store(mem, h->L, i, 0, column(&L, 1));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
