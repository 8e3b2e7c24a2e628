/*
 * FlashAttention-2 for keys that are only a chunk of all keys.
 *
 * Changed since flash2: nothing is divided at the end. What the chunk came to,
 * (m, l, O), is merged with what other chunks have come to; who owns them, and
 * in which order they come, makes no difference.
 *
 * docs/ring.md
 */
#include "06_flash2/ring/merge.h"
#include "06_flash2/steps.h"
#include "common/scores.h"

/* ANCHOR: kernel */
int attend_chunk(const head *h, matrix result, memory *mem)
{
    tile_sizes t = flash2_tiles(h, mem->M);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys), all = scratch(mem, 1, h->dv + 2);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);
    array ml = {block(result, 0, 0, h->Nq, 2), FP32};
    array o_all = {block(result, 0, 2, h->Nq, h->dv), h->stored};

    if (mem->error)
        return mem->error;

    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
        size_t br = min_size(t.Br, h->Nq - i0);
        size_t seen = keys_seen_by(h, i0, br);

        if (seen == 0)
            continue; /* these keys are all in the future */
        load(mem, top(Q, br), h->Q, i0, 0);
        fill(O, 0);
        fill(column(m, br), -INFINITY);
        fill(column(l, br), 0);
        for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
            size_t bc = min_size(t.Bc, seen - j0);

            /* load */
            load(mem, top(K, bc), h->K, j0, 0);
            load(mem, top(V, bc), h->V, j0, 0);
            /* scores */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update: flash2's, word for word */
            for (size_t i = 0; i < br; i++) {
                float *s = row(S, i), *o = row(O, i);
                float m_new = fmaxf(m[i], max_of(s, bc));
                float alpha = exp_minus(m[i], m_new);

                l[i] = alpha * l[i] + weights(h, s, bc, m_new);
                weighted_sum(pv, s, top(V, bc));
                rescale(o, alpha, h->dv);
                axpy(o, 1, pv, h->dv);
                m[i] = m_new;
                count(mem, (counts){.exps = bc + 1, .rescales = 1 + h->dv});
            }
        }
        /* finish: merged, not divided */
        for (size_t i = 0; i < br; i++) {
            load(mem, block(all, 0, 0, 1, 2), ml, i0 + i, 0);
            load(mem, block(all, 0, 2, 1, h->dv), o_all, i0 + i, 0);
            merge(all.data, m[i], l[i], row(O, i), h->dv);
            store(mem, ml, i0 + i, 0, block(all, 0, 0, 1, 2));
            store(mem, o_all, i0 + i, 0, block(all, 0, 2, 1, h->dv));
            count(mem, (counts){.exps = 2, .rescales = 2 + 2 * h->dv});
        }
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
