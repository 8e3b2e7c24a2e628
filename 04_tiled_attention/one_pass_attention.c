/*
 * One-pass attention: the running state is (m, l, o).
 *
 * Changed since two_pass_attention: o is updated at every key and rescaled like
 * l. After key j, o is the exact output for keys 0 to j. Each key and value is
 * read once per query.
 *
 *     m_j = max(m_{j-1}, s_j)
 *     l_j = l_{j-1} e^{m_{j-1} - m_j} + e^{s_j - m_j}
 *     o_j = o_{j-1} (l_{j-1} e^{m_{j-1} - m_j} / l_j)
 *           + (e^{s_j - m_j} / l_j) v_j
 *
 * Softmax alone needs two passes, because all n outputs need the final m and l.
 * Attention needs only the sum of the weighted values, and a sum can be
 * rescaled. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int one_pass_attention(const head *h, memory *mem)
{
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix k = on_chip(mem, 1, h->d), v = on_chip(mem, 1, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        float m = -INFINITY, l = 0, s, L;

        load(mem, &q, h->Q, one(i));
        fill(o, 0);
        for (size_t j = 0; j < seen(h, one(i)); j++) { /* the only pass */
            /* load */
            load(mem, &k, h->K, one(j));
            load(mem, &v, h->V, one(j));
            /* scores */
            s = score(h, mem, q, k, i, j);
            /* update */
            float m_new = fmaxf(m, s);
            float alpha = rescale_factor(mem, m, m_new);
            float old = alpha * l;

            l = old + exponentiate(mem, h, &s, 1, m_new);
            rescale(mem, o.data, ratio(old, l), h->dv); /* o of earlier keys */
            normalise(mem, &s, l, 1);
            add_weighted(o.data, &s, v); /* o is exact for keys 0 to j */
            m = m_new;
        }
        /* finish */
        store(mem, h->O, one(i), o);
        L = m + logf(l);
        store_floats(mem, h->L, one(i), &L);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
