/*
 * Two-pass attention: online softmax computes maximum and sum in one pass.
 *
 * Changed since three_pass_attention: passes 1 and 2 become one, as in
 * chapter 03. Each query reads the keys twice instead of three times.
 *
 *     m_j = max(m_{j-1}, s_j)                                    pass 1
 *     l_j = l_{j-1} e^{m_{j-1} - m_j} + e^{s_j - m_j}
 *     o   = sum_j (e^{s_j - m} / l) v_j                          pass 2
 *
 * docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int two_pass_attention(const head *h, memory *mem)
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
            float m_new = fmaxf(m, s);
            float alpha = rescale_factor(mem, m, m_new); /* as in chapter 03 */

            l = alpha * l + exponentiate(mem, h, &s, 1, m_new);
            m = m_new;
        }
        for (size_t j = 0; j < seen(h, one(i)); j++) { /* pass 2 */
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
