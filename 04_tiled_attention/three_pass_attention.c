/*
 * Three-pass attention: each pass of safe softmax recomputes the scores.
 *
 * Changed since standard_attention: S is not stored, which saves N^2 elements
 * of HBM. Each pass of a query loads all keys from HBM again.
 *
 *     m   = max_j s_j                                            pass 1
 *     l   = sum_j e^{s_j - m}                                    pass 2
 *     o   = sum_j (e^{s_j - m} / l) v_j                          pass 3
 *
 * This is the first form in Zihao Ye, "From Online Softmax to FlashAttention".
 * docs/04_tiled_attention.md
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
        float m = -INFINITY, l = 0, s, L;

        load(mem, &q, h->Q, one(i));
        fill(o, 0);
        for (size_t j = 0; j < seen(h, one(i)); j++) { /* pass 1 */
            load(mem, &k, h->K, one(j));
            s = score(h, mem, q, k, i, j);
            m = fmaxf(m, s);
        }
        for (size_t j = 0; j < seen(h, one(i)); j++) { /* pass 2 */
            load(mem, &k, h->K, one(j));
            s = score(h, mem, q, k, i, j);
            l += exponentiate(mem, h, &s, 1, m);
        }
        for (size_t j = 0; j < seen(h, one(i)); j++) { /* pass 3 */
            /* load */
            load(mem, &k, h->K, one(j));
            load(mem, &v, h->V, one(j));
            /* scores */
            s = score(h, mem, q, k, i, j);
            /* update */
            exponentiate(mem, h, &s, 1, m); /* s is e^{s - m} now */
            normalise(mem, &s, l, 1);       /* s is the weight p now */
            add_weighted(o.data, &s, v);
        }
        /* finish */
        store(mem, h->O, one(i), o);
        L = m + logf(l);
        store_floats(mem, h->L, one(i), &L);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
