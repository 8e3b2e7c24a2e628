/*
 * Standard attention's backward pass reads the stored P, and stores dP and dS.
 *
 *     dV = P^T dO      dP = dO V^T      dS = P o (dP - rowsum(P o dP))
 *     dQ = dS K        dK = dS^T Q
 *
 * It has five matrix operations. Each is a loop over the queries, as in
 * standard_attention. K, V and the sums over queries (dV, then dK) stay on chip
 * for any M. So the traffic is the least possible for five separate operations:
 * 7 N^2 + 8 Nd elements. Lines 4 and 5 do not load P, so they skip the pairs
 * with dS = 0. Lines 1 and 3 skip weights of 0.
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 3; dS includes scale.
 * docs/backward.md
 */
#include "05_flash1/backward/steps.h"

/* ANCHOR: kernel */
int standard_backward(const gradients *g, memory *mem)
{
    const head *h = &g->h;
    matrix K = on_chip_unbounded(mem, h->Nk, h->d);
    matrix V = on_chip_unbounded(mem, h->Nk, h->dv);
    matrix dK = on_chip_unbounded(mem, h->Nk, h->d);
    matrix dV = on_chip_unbounded(mem, h->Nk, h->dv);
    matrix q = on_chip(mem, 1, h->d), dO = on_chip(mem, 1, h->dv);
    matrix dq = on_chip(mem, 1, h->d);
    matrix p = scratch(mem, 1, h->Nk), ds = scratch(mem, 1, h->Nk);
    float *sum = scratch_floats(mem, h->d);
    array dS = hbm_scratch(mem, h->Nq, h->Nk, h->P.type);
    span keys = all(seen(h, all(h->Nq)));

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem);
    begin_sum(g, mem, &dV, g->dV, keys);
    for (size_t i = 0; i < h->Nq; i++) { /* line 1: dV = P^T dO */
        p.cols = dV.rows = seen(h, one(i));
        load(mem, &p, h->P, one(i));
        load(mem, &dO, g->dO, one(i));
        add_to_keys(dV, p.data, p.data, dO.data);
    }
    store(mem, g->dV, keys, dV);

    load(mem, &V, h->V, keys);
    for (size_t i = 0; i < h->Nq; i++) { /* line 2: dP = dO V^T */
        ds.cols = seen(h, one(i));
        load(mem, &dO, g->dO, one(i));
        for (size_t j = 0; j < ds.cols; j++)
            ds.data[j] = dot(dO.data, row(V, j), h->dv);
        store(mem, dS, one(i), ds);
    }

    load(mem, &K, h->K, keys);
    for (size_t i = 0; i < h->Nq; i++) { /* line 3: dS = P o (dP - D) */
        float D = 0;

        p.cols = ds.cols = seen(h, one(i));
        load(mem, &p, h->P, one(i));
        load(mem, &ds, dS, one(i));
        if (h->rule.softcap > 0)
            load_as(mem, MASK, &q, h->Q, one(i));
        for (size_t j = 0; j < p.cols; j++) /* a weight of 0 adds nothing */
            D += p.data[j] == 0 ? 0 : p.data[j] * ds.data[j];
        for (size_t j = 0; j < p.cols; j++)
            ds.data[j] =
                score_gradient(g, p.data[j], ds.data[j], D, q.data, row(K, j));
        store(mem, dS, one(i), ds);
    }

    for (size_t i = 0; i < h->Nq; i++) { /* line 4: dQ = dS K */
        ds.cols = K.rows = seen(h, one(i));
        load(mem, &ds, dS, one(i));
        fill(dq, 0);
        add_to_query(dq.data, sum, ds.data, ds.data, K);
        store(mem, g->dQ, one(i), dq);
    }

    begin_sum(g, mem, &dK, g->dK, keys);
    for (size_t i = 0; i < h->Nq; i++) { /* line 5: dK = dS^T Q */
        ds.cols = dK.rows = seen(h, one(i));
        load(mem, &ds, dS, one(i));
        load(mem, &q, h->Q, one(i));
        add_to_keys(dK, ds.data, ds.data, q.data);
    }
    store(mem, g->dK, keys, dK);
    return mem->error;
}
/* ANCHOR_END: kernel */
