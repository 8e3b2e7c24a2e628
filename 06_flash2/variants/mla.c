/*
 * MLA (multi-head latent attention): V is the first dv columns of K, and is not
 * loaded.
 *
 * Changed since flash2: V is a block of the tile of K. Instead of K and V of
 * all heads, MLA stores one key per token: a short vector, the latent, and a
 * few columns for the position. The latent is also the value of the token.
 * The caller multiplies Q by the up-projection of K before attention, and
 * multiplies O by the up-projection of V after attention.
 *
 * Returns MEMORY_REFUSED if V is not the first dv columns of K.
 *
 * DeepSeek-V2, arXiv 2405.04434. The line numbers in the comments are those of
 * FlashAttention-2's Algorithm 1. docs/variants.md
 */
#include "06_flash2/variants/steps.h"

#include <stdio.h>
#include <string.h>

#include "common/scores.h"

/* ANCHOR: refuse */
/* True if V is the first dv columns of K. These reads are not counted. */
static bool is_latent(const head *h)
{
    if (h->dv > h->d)
        return false;
    for (size_t j = 0; j < h->Nk; j++)
        if (memcmp(row(h->V.hbm, j), row(h->K.hbm, j), h->dv * sizeof(float)))
            return false;
    return true;
}

static int refuse(memory *mem)
{
    snprintf(mem->message, sizeof mem->message,
             "V is not the first dv columns of K (mla allows no other V)");
    return mem->error = MEMORY_REFUSED;
}
/* ANCHOR_END: refuse */

/* ANCHOR: kernel */
int mla(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, flash2_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V;
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;
    if (!is_latent(h))
        return refuse(mem);

    /* line 3: tiles of queries are independent of each other */
    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        load(mem, &Q, h->Q, i); /* line 4: Q is loaded once */
        clear(&O, i);           /* line 5: O, m and l stay on chip */
        fill_floats(m, i, -INFINITY);
        fill_floats(l, i, 0);
        /* line 6: loop over the keys that these queries see */
        for (span j = first(seen(h, i), t.Bc); j.n; j = next(j)) {
            if (!visible(h, i, j))
                continue; /* these queries see none of the keys */
            /* load: line 7; K and V are only read */
            load(mem, &K, h->K, j);
            V = block(K, 0, 0, j.n, h->dv); /* V is already on chip */
            /* scores: line 8 */
            scores(h, mem, &S, Q, K, i, j);
            /* update: m, P~ and l by line 9, O by line 10 */
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_new = fmaxf(m[r], max_of(s, j.n));
                float l_tile = exponentiate(mem, h, s, j.n, m_new);
                float alpha = rescale_factor(mem, m[r], m_new);

                l[r] = alpha * l[r] + l_tile;
                weighted_sum(pv, s, V);
                rescale(mem, o, alpha, h->dv); /* the paper has 1 / alpha */
                axpy(o, 1, pv, h->dv);
                m[r] = m_new;
            }
        }
        /* finish */
        for (size_t r = 0; r < i.n; r++) {
            divide(mem, row(O, r), l[r], h->dv); /* line 12: once per row */
            m[r] += logf(l[r]);                  /* line 13: m is L now */
        }
        store(mem, h->O, i, O); /* lines 14, 15 */
        store_floats(mem, h->L, i, m);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
