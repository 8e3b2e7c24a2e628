/*
 * Split-KV (flash-decoding): threads share the keys of one head.
 *
 * Changed since flash2_parallel: a model that generates text has one query per
 * head, so there are no query blocks to share. Instead each thread computes
 * parts of the keys. The result of a part is an unnormalised O with its m and
 * l. These results are merged as in chapter 03:
 *
 *     m' = max(m, m_p)     l' = l e^{m - m'} + l_p e^{m_p - m'}
 *     O' = O e^{m - m'} + O_p e^{m_p - m'}        at the end: O / l
 *
 * Each part stores m and l. In exact arithmetic L = m + ln l would be enough.
 * But near 10^4 adjacent fp32 numbers differ by 2^-10, so L has only three
 * decimals of ln l (see the test an_L_in_fp32_is_too_coarse_to_merge_by).
 * docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"
#include "common/threads.h"

typedef struct {
    const head *h;
    tile_sizes t;
    size_t keys;   /* per part: a multiple of Bc; the last part may have less */
    array O, m, l; /* results in HBM: Nq rows for each part */
} split_job;

/* ANCHOR: part */
/* Attends with all queries to the keys of one part, with flash2's loops. */
static int attend_part(const void *job, size_t part, memory *mem)
{
    const split_job *p = job;
    const head *h = p->h;
    tile_sizes t = trimmed(h, p->t);
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        span at = span_of(part * h->Nq + i.first, i.n);
        size_t end = min_size((part + 1) * p->keys, seen(h, i));
        span j = first_from(part * p->keys, end, t.Bc);

        if (j.n == 0)
            continue;
        load(mem, &Q, h->Q, i);
        clear(&O, i);
        fill_floats(m, i, -INFINITY);
        fill_floats(l, i, 0);
        for (; j.n; j = next(j)) {
            if (!visible(h, i, j))
                continue;
            /* load */
            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            /* scores */
            scores(h, mem, &S, Q, K, i, j);
            /* update: as in flash2, with the keys of this part */
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_new = fmaxf(m[r], max_of(s, j.n));
                float l_tile = exponentiate(mem, h, s, j.n, m_new);
                float alpha = rescale_factor(mem, m[r], m_new);

                l[r] = alpha * l[r] + l_tile;
                weighted_sum(pv, s, V);
                rescale(mem, o, alpha, h->dv);
                axpy(o, 1, pv, h->dv);
                m[r] = m_new;
            }
        }
        store(mem, p->O, at, O);
        store_floats(mem, p->m, at, m);
        store_floats(mem, p->l, at, l);
    }
    return mem->error;
}
/* ANCHOR_END: part */

/* Returns the number of parts that have a result for query i: its query tile
 * sees none of the keys of later parts. */
static size_t parts_of(const split_job *p, size_t i)
{
    size_t i0 = i - i % p->t.Br;
    span tile = span_of(i0, min_size(p->t.Br, p->h->Nq - i0));

    return tiles(seen(p->h, tile), p->keys);
}

/* ANCHOR: kernel */
static void merge_parts(const split_job *p, memory *mem, size_t i, matrix o,
                        matrix o_part)
{
    const head *h = p->h;
    float m = -INFINITY, l = 0, m_part, l_part;

    fill(o, 0);
    for (size_t part = 0; part < parts_of(p, i); part++) {
        span at = one(part * h->Nq + i);

        load(mem, &o_part, p->O, at);
        load_floats(mem, &m_part, p->m, at);
        load_floats(mem, &l_part, p->l, at);
        merge_part(mem, &m, &l, o.data, m_part, l_part, o_part.data, h->dv);
    }
    divide(mem, o.data, l, h->dv); /* the only division of the row */
    m += logf(l);
    store(mem, h->O, one(i), o);
    store_floats(mem, h->L, one(i), &m);
}

int split_kv(const head *h, memory *mem)
{
    tile_sizes t = flash2_tiles(h, mem->M);
    size_t keys = split_kv_keys(h, t), parts = tiles(h->Nk, keys);
    matrix o = on_chip(mem, 1, h->dv), o_part = on_chip(mem, 1, h->dv);
    precision type = h->m.type; /* the type of the stored results */
    split_job job = {.h = h, .t = t, .keys = keys};

    job.O = hbm_scratch(mem, parts * h->Nq, h->dv, type);
    job.m = hbm_scratch(mem, parts * h->Nq, 1, type);
    job.l = hbm_scratch(mem, parts * h->Nq, 1, type);
    if (mem->error || run_on_threads(attend_part, &job, parts, mem))
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++)
        merge_parts(&job, mem, i, o, o_part);
    return mem->error;
}
/* ANCHOR_END: kernel */
