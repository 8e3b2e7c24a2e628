/*
 * Tiled attention: the keys of a query come Bc at a time.
 *
 * Changed since one_pass_attention: what joins the running state is not one
 * key but a tile of them, with a state (m~, l~) and an output o~ of its own.
 * The two are merged by the operation of chapter 03, and o as l is:
 *
 *     m~ = max_j s_j        l~ = sum_j e^{s_j - m~}
 *     m' = max(m, m~)       l' = l e^{m - m'} + l~ e^{m~ - m'}
 *     o' = (l e^{m - m'} o + e^{m~ - m'} sum_j e^{s_j - m~} v_j) / l'
 *
 * On chip: one q, one o, and Bc rows of K and of V, in M elements. Every
 * query still reads all of K and V. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int tiled_attention(const head *h, memory *mem)
{
    size_t Bc = tiled_tiles(h, mem->M).Bc, rows = min_size(Bc, h->Nk);
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix K = on_chip(mem, rows, h->d), V = on_chip(mem, rows, h->dv);
    matrix s_row = scratch(mem, 1, rows);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        float m = m_before(h), l = l_before(h), L;

        load(mem, q, h->Q, i, 0);
        fill(o, 0);
        for (size_t j0 = 0; j0 < keys_seen(h, i); j0 += Bc) {
            size_t bc = min_size(Bc, keys_seen(h, i) - j0);
            matrix s = block(s_row, 0, 0, 1, bc);
            float m_tile, m_new, alpha, beta, old;

            if (is_unseen(h, i, 1, j0, bc))
                continue; /* the query sees none of the keys */
            /* load */
            load(mem, top(K, bc), h->K, j0, 0);
            load(mem, top(V, bc), h->V, j0, 0);
            /* scores */
            scores(h, mem, s, q, K, i, j0);
            /* update */
            m_tile = max_of(s.data, bc);
            m_new = fmaxf(m, m_tile);
            alpha = exp_minus(m, m_new);     /* brings the past to m_new, */
            beta = exp_minus(m_tile, m_new); /* and this the tile */
            old = alpha * l;
            l = old + beta * weights(h, s.data, bc, m_tile);
            weighted_sum(pv, s.data, top(V, bc)); /* separately: short sums */
            rescale(o.data, ratio(old, l), h->dv);
            add_share(o.data, beta * inverse(l), pv, h->dv);
            m = m_new;
            count(mem, (counts){.exps = bc + 2,
                                .rescales = 2 + h->dv,
                                .divisions = h->dv});
        }
        /* finish */
        store(mem, h->O, i, 0, o);
        L = m + logf(l);
        store(mem, h->L, i, 0, column(&L, 1));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
