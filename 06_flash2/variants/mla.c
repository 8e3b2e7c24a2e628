/*
 * MLA: V is the first dv columns of K, and is not loaded.
 *
 * Changed since flash2 (whose line numbers are kept): a load is gone.
 * Multi-head latent attention keeps one short vector for each token, the
 * latent, from which K and V of all heads could be made. They never are: the
 * matrix that would make K is multiplied to the query beforehand, the one that
 * would make V to O afterwards. What is left between is attention with the
 * latents as keys (and some columns more that know the position), and the
 * latents once again as values.
 *
 * A head whose V is something else is refused.
 *
 * DeepSeek-V2, arXiv 2405.04434. docs/variants.md
 */
#include "06_flash2/steps.h"

#include <stdio.h>
#include <string.h>

#include "common/scores.h"

/* ANCHOR: refuse */
/* Is V the first columns of K? A look at the problem, which is not counted. */
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
             "V is not the first dv columns of K (allowed: no other V)");
    return mem->error = MEMORY_REFUSED;
}
/* ANCHOR_END: refuse */

/* ANCHOR: kernel */
int mla(const head *h, memory *mem)
{
    tile_sizes t = flash2_tiles(h, mem->M);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;
    if (!is_latent(h))
        return refuse(mem);

    /* line 3: a tile of queries, which shares nothing with the others */
    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
        size_t br = min_size(t.Br, h->Nq - i0);
        size_t seen = keys_seen_by(h, i0, br);

        load(mem, top(Q, br), h->Q, i0, 0); /* line 4: once */
        fill(O, 0);                         /* line 5: it stays on chip */
        fill(column(m, br), m_before(h));
        fill(column(l, br), l_before(h));
        /* line 6: all the keys that they see */
        for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
            size_t bc = min_size(t.Bc, seen - j0);
            matrix V = block(K, 0, 0, bc, h->dv); /* it is there already */

            if (is_unseen(h, i0, br, j0, bc))
                continue; /* nobody here sees these keys */
            /* load: line 7; what travels is only read */
            load(mem, top(K, bc), h->K, j0, 0);
            /* scores: line 8 */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update */
            for (size_t i = 0; i < br; i++) {
                float *s = row(S, i), *o = row(O, i);
                float m_new = fmaxf(m[i], max_of(s, bc)); /* line 9 */
                float alpha = exp_minus(m[i], m_new);     /* 0 at first */

                l[i] = alpha * l[i] + weights(h, s, bc, m_new); /* line 9 */
                weighted_sum(pv, s, V);
                rescale(o, alpha, h->dv); /* line 10, less its stray ^-1 */
                axpy(o, 1, pv, h->dv);
                m[i] = m_new;
                count(mem, (counts){.exps = bc + 1, .rescales = 1 + h->dv});
            }
        }
        /* finish */
        for (size_t i = 0; i < br; i++) {
            rescale(row(O, i), inverse(l[i]), h->dv); /* line 12: once a row */
            m[i] += logf(l[i]);                       /* line 13: m is L now */
            count(mem, (counts){.divisions = h->dv});
        }
        store(mem, h->O, i0, 0, top(O, br)); /* lines 14, 15 */
        store(mem, h->L, i0, 0, column(m, br));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
