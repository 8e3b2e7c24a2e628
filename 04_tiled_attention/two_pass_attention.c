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

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        float m = m_before(h), l = l_before(h), s, L;

        load(mem, q, h->Q, i, 0);
        fill(o, 0);
        for (size_t j = 0; j < keys_seen(h, i); j++) { /* pass 1 */
            float m_new, alpha;

            load(mem, k, h->K, j, 0);
            s = score(h, mem, q, k, i, j);
            m_new = fmaxf(m, s);
            alpha = exp_minus(m, m_new);
            l = alpha * l + exp_minus(s, m_new); /* chapter 03's update */
            m = m_new;
            count(mem, (counts){.exps = 2, .rescales = 1});
        }
        for (size_t j = 0; j < keys_seen(h, i); j++) { /* pass 2 */
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
