/*
 * Two-pass attention: online softmax finds maximum and sum in one pass.
 *
 * Changed since three_pass_attention: passes 1 and 2 become one, as in
 * chapter 03. The keys are read twice for every query, not three times.
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
    matrix s = scratch(mem, 1, 1);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        float m = -INFINITY, l = 0, L;

        load(mem, q, h->Q, i, 0);
        fill(o, 0);
        for (size_t j = 0; j < keys_seen(h, i); j++) {
            float m_prev = m;

            load(mem, k, h->K, j, 0);
            scores(h, mem, s, q, k, i, j);
            m = fmaxf(m_prev, *s.data);
            l = l * exp_minus(m_prev, m) + exp_minus(*s.data, m);
            count(mem, 2, 1, 0);
        }
        for (size_t j = 0; j < keys_seen(h, i); j++) {
            /* load */
            load(mem, k, h->K, j, 0);
            load(mem, v, h->V, j, 0);
            /* scores */
            scores(h, mem, s, q, k, i, j);
            /* update */
            weights(h, s.data, 1, m);
            *s.data *= inverse(l);
            add_weighted(o.data, s.data, v);
            count(mem, 1, 0, 1);
        }
        /* finish */
        store(mem, h->O, i, 0, o);
        L = m + logf(l);
        store(mem, h->L, i, 0, matrix_of(&L, 1, 1));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
