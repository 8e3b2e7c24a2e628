/*
 * Tiled attention: each query attends to Bc keys at a time.
 *
 * Changed since one_pass_attention: a tile of keys has its own state (m~, l~)
 * and its own weighted sum of V. The merge of chapter 03 adds this state to the
 * running state. o is merged in the same way as l:
 *
 *     m~ = max_j s_j        l~ = sum_j e^{s_j - m~}
 *     m' = max(m, m~)       l' = l e^{m - m'} + l~ e^{m~ - m'}
 *     o' = (l e^{m - m'} o + e^{m~ - m'} sum_j e^{s_j - m~} v_j) / l'
 *
 * One q, one o, and Bc rows of K and of V must fit in M elements on chip. Each
 * query still reads all of K and V. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int tiled_attention(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, tiled_tiles(h, mem->M));
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix s = scratch(mem, 1, t.Bc);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        float m = -INFINITY, l = 0, L;

        load(mem, &q, h->Q, one(i));
        fill(o, 0);
        for (span j = first(seen(h, one(i)), t.Bc); j.n; j = next(j)) {
            if (!visible(h, one(i), j))
                continue; /* the query sees none of the keys */
            /* load */
            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            /* scores */
            scores(h, mem, &s, q, K, one(i), j);
            /* update */
            float m_tile = max_of(s.data, j.n);
            float l_tile = exponentiate(mem, h, s.data, j.n, m_tile);
            float m_new = fmaxf(m, m_tile);
            float alpha = rescale_factor(mem, m, m_new);     /* earlier tiles */
            float beta = rescale_factor(mem, m_tile, m_new); /* this tile */
            float old = alpha * l;

            l = old + beta * l_tile;
            weighted_sum(pv, s.data, V); /* a short sum rounds less */
            rescale(mem, o.data, ratio(old, l), h->dv);
            add_divided(mem, o.data, beta, pv, l, h->dv);
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
