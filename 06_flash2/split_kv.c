/*
 * Split-KV: one long row of keys, cut into parts for many cores.
 *
 * Changed since flash2_parallel: when a model generates text there is one
 * query a head, so there are no query blocks to share out. The keys are
 * shared out instead: each part gives an unnormalised O and its (m, l), and
 * the parts are merged by the operation of chapter 03, in any order:
 *
 *     m' = max(m, m_p)     l' = l e^{m - m'} + l_p e^{m_p - m'}
 *     O' = O e^{m - m'} + O_p e^{m_p - m'}        at the end: O / l
 *
 * Known as flash-decoding. Partial outputs may not be added before they are
 * rescaled to the common maximum.
 *
 * A part leaves m and l. On paper L = m + ln l alone would do, but at scores of
 * 10^4 fp32 counts in steps of 2^-10: three decimals of ln l are left, and O is
 * off by 10^-4 (an_L_in_fp32_is_too_coarse_to_merge_by). docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"
#include "common/threads.h"

typedef struct {
    const head *h;
    tile_sizes t;
    size_t keys;   /* of one part, a multiple of Bc; the last may have fewer */
    array O, m, l; /* parts * Nq rows in HBM: what each part came to */
} split_job;

/* ANCHOR: part */
/* Every query against the keys of one part: chapter 06's inner loop. */
static int attend_part(const void *job, size_t part, memory *mem)
{
    const split_job *p = job;
    const head *h = p->h;
    size_t rows = min_size(p->t.Br, h->Nq), keys = min_size(p->t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i0 = 0; i0 < h->Nq; i0 += p->t.Br) {
        size_t br = min_size(p->t.Br, h->Nq - i0), at = part * h->Nq + i0;
        size_t end = min_size((part + 1) * p->keys, keys_seen_by(h, i0, br));

        if (end <= part * p->keys)
            continue;
        load(mem, top(Q, br), h->Q, i0, 0);
        fill(O, 0);
        fill(column(m, br), -INFINITY);
        fill(column(l, br), 0);
        for (size_t j0 = part * p->keys; j0 < end; j0 += p->t.Bc) {
            size_t bc = min_size(p->t.Bc, end - j0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            /* load */
            load(mem, top(K, bc), h->K, j0, 0);
            load(mem, top(V, bc), h->V, j0, 0);
            /* scores */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update: flash2's, by the keys of this part alone */
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
        store(mem, p->O, at, 0, top(O, br));
        store(mem, p->m, at, 0, column(m, br));
        store(mem, p->l, at, 0, column(l, br));
    }
    return mem->error;
}
/* ANCHOR_END: part */

/* The keys that the query tile of row i sees: parts beyond were left out. */
static size_t keys_of_tile(const split_job *p, size_t i)
{
    size_t i0 = i - i % p->t.Br;

    return keys_seen_by(p->h, i0, min_size(p->t.Br, p->h->Nq - i0));
}

/* ANCHOR: kernel */
/* One query's parts merged: O, m and l of the whole row. */
static void merge_row(const split_job *p, memory *mem, size_t i, matrix O,
                      matrix O_part)
{
    const head *h = p->h;
    float m = m_before(h), l = l_before(h), m_part, l_part;

    fill(O, 0);
    for (size_t k0 = 0, at = i; k0 < keys_of_tile(p, i);
         k0 += p->keys, at += h->Nq) {
        float m_new, alpha, beta;

        load(mem, O_part, p->O, at, 0);
        load(mem, column(&m_part, 1), p->m, at, 0);
        load(mem, column(&l_part, 1), p->l, at, 0);
        m_new = fmaxf(m, m_part);
        alpha = exp_minus(m, m_new);
        beta = exp_minus(m_part, m_new);
        l = alpha * l + beta * l_part;
        rescale(O.data, alpha, h->dv);
        add_share(O.data, beta, O_part.data, h->dv);
        m = m_new;
        count(mem, (counts){.exps = 2, .rescales = 2 + 2 * h->dv});
    }
    rescale(O.data, inverse(l), h->dv); /* the one division of the row */
    m += logf(l);
    count(mem, (counts){.divisions = h->dv});
    store(mem, h->O, i, 0, O);
    store(mem, h->L, i, 0, column(&m, 1));
}

int split_kv(const head *h, memory *mem)
{
    tile_sizes t = split_kv_tiles(h, mem->M);
    size_t keys = split_kv_keys(h, t), parts = tiles(h->Nk, keys);
    split_job job = {h, t, keys, {{0}, FP32}, {{0}, FP32}, {{0}, FP32}};
    matrix O = on_chip(mem, 1, h->dv), O_part = on_chip(mem, 1, h->dv);

    job.O = hbm_scratch(mem, parts * h->Nq, h->dv, h->stored);
    job.m = hbm_scratch(mem, parts * h->Nq, 1, h->stored);
    job.l = hbm_scratch(mem, parts * h->Nq, 1, h->stored);
    if (mem->error || run_on_threads(attend_part, &job, parts, mem))
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++)
        merge_row(&job, mem, i, O, O_part);
    return mem->error;
}
/* ANCHOR_END: kernel */
