/*
 * Standard attention's backward pass: P was stored, and dP and dS are too.
 *
 *     dV = P^T dO      dP = dO V^T      dS = P o (dP - rowsum(P o dP))
 *     dQ = dS K        dK = dS^T Q
 *
 * A new shape: five matrix operations, each a loop over the queries like the
 * three of standard_attention. What a product adds up over all queries (dV,
 * then dK) stays on chip, and so do K and V, however little memory there is:
 * the floor of what storing P costs, 7 N^2 + 8 Nd elements. Lines 4 and 5 have
 * dS, and no P: a dS of 0 is passed over as a weight of 0 is.
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 3. docs/backward.md
 */
#include "05_flash1/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int standard_backward(const gradients *g, memory *mem)
{
    const head *h = &g->h;
    size_t seen = keys_seen_by(h, 0, h->Nq);
    matrix K = on_chip_whatever_M(mem, h->Nk, h->d);
    matrix V = on_chip_whatever_M(mem, h->Nk, h->dv);
    matrix dK = on_chip_whatever_M(mem, h->Nk, h->d);
    matrix dV = on_chip_whatever_M(mem, h->Nk, h->dv);
    matrix q = on_chip(mem, 1, h->d), dO = on_chip(mem, 1, h->dv);
    matrix dq = on_chip(mem, 1, h->d);
    matrix p_row = scratch(mem, 1, h->Nk), ds_row = scratch(mem, 1, h->Nk);
    float *sum = scratch_floats(mem, h->d);
    array dS = hbm_scratch(mem, h->Nq, h->Nk, h->stored);

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem, seen);
    fill(dV, 0);
    if (g->add)
        load(mem, top(dV, seen), g->dV, 0, 0);
    for (size_t i = 0; i < h->Nq; i++) { /* line 1: dV = P^T dO */
        matrix p = block(p_row, 0, 0, 1, keys_seen(h, i));

        load(mem, p, h->kept.P, i, 0);
        load(mem, dO, g->dO, i, 0);
        add_to_keys(top(dV, p.cols), p.data, p.data, dO.data);
    }
    store(mem, g->dV, 0, 0, top(dV, seen));

    load(mem, top(V, seen), h->V, 0, 0);
    for (size_t i = 0; i < h->Nq; i++) { /* line 2: dP = dO V^T */
        matrix dp = block(ds_row, 0, 0, 1, keys_seen(h, i));

        load(mem, dO, g->dO, i, 0);
        for (size_t j = 0; j < dp.cols; j++)
            dp.data[j] = dot(dO.data, row(V, j), h->dv);
        store(mem, dS, i, 0, dp);
    }

    load(mem, top(K, seen), h->K, 0, 0);
    for (size_t i = 0; i < h->Nq; i++) { /* line 3: dS = P o (dP - D) */
        matrix p = block(p_row, 0, 0, 1, keys_seen(h, i));
        matrix ds = block(ds_row, 0, 0, 1, keys_seen(h, i));
        float D = 0;

        load(mem, p, h->kept.P, i, 0);
        load(mem, ds, dS, i, 0);
        if (h->softcap > 0)
            load_as(mem, MASK, q, h->Q, i, 0);
        for (size_t j = 0; j < p.cols; j++) /* a weight of 0 adds nothing */
            D += p.data[j] == 0 ? 0 : p.data[j] * ds.data[j];
        for (size_t j = 0; j < p.cols; j++)
            ds.data[j] =
                score_gradient(g, p.data[j], ds.data[j], D, q.data, row(K, j));
        store(mem, dS, i, 0, ds);
    }

    for (size_t i = 0; i < h->Nq; i++) { /* line 4: dQ = dS K */
        matrix ds = block(ds_row, 0, 0, 1, keys_seen(h, i));

        load(mem, ds, dS, i, 0);
        fill(dq, 0);
        add_to_query(dq.data, sum, ds.data, ds.data, top(K, ds.cols));
        store(mem, g->dQ, i, 0, dq);
    }

    fill(dK, 0);
    if (g->add)
        load(mem, top(dK, seen), g->dK, 0, 0);
    for (size_t i = 0; i < h->Nq; i++) { /* line 5: dK = dS^T Q */
        matrix ds = block(ds_row, 0, 0, 1, keys_seen(h, i));

        load(mem, ds, dS, i, 0);
        load(mem, q, h->Q, i, 0);
        add_to_keys(top(dK, ds.cols), ds.data, ds.data, q.data);
    }
    store(mem, g->dK, 0, 0, top(dK, seen));
    return mem->error;
}
/* ANCHOR_END: kernel */
