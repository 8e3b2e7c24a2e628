/*
 * Cascade: loads the keys of a common prefix once for several sequences.
 *
 * Changed since flash2: a tile of queries may have rows of several sequences of
 * a batch. The common prefix of the sequences, such as a prompt, is loaded once
 * for the whole tile. Then the remaining keys of each sequence, its tail, are
 * loaded for the rows of this sequence.
 *
 * The kernel compares K and V of the sequences to find the prefix. These reads
 * are not counted, because a server already has the length of the prefix: the
 * sequences share its pages.
 *
 * Ye et al., Cascade Inference (FlashInfer, 2024); Juravsky et al.,
 * Hydragen, arXiv 2402.05099. docs/variants.md
 */
#include "06_flash2/variants/steps.h"

#include <string.h>

#include "common/layer.h"
#include "common/scores.h"

/* ANCHOR: prefix */
size_t cascade_prefix(const layer *l, size_t nth)
{
    head first = head_at(l, nth);
    size_t n = first.Nk;

    for (size_t b = 1; b < l->B; b++) {
        head h = head_at(l, b * l->Hq + nth);
        size_t j = 0;

        while (
            j < n &&
            !memcmp(row(h.K.hbm, j), row(first.K.hbm, j),
                    h.d * sizeof(float)) &&
            !memcmp(row(h.V.hbm, j), row(first.V.hbm, j), h.dv * sizeof(float)))
            j++;
        n = j;
    }
    return n;
}
/* ANCHOR_END: prefix */

typedef struct {
    matrix Q, O, K, V, S;
    float *m, *l, *pv;
} tile;

/* Rows r0 .. r0 + n - 1 of a list, which has the queries of head nth of all
 * sequences, one sequence after the other. */
typedef struct {
    const layer *l;
    size_t nth, r0, n;
} queries;

/* The rows of a tile that belong to one sequence. */
typedef struct {
    head h;
    size_t at; /* the first of these rows in the tile */
    span i;    /* the rows' queries in the sequence */
} piece;

static piece piece_at(const queries *q, size_t at)
{
    size_t Nq = q->l->each.Nq, r = q->r0 + at, i0 = r % Nq;
    head h = head_at(q->l, r / Nq * q->l->Hq + q->nth);

    return (piece){h, at, span_of(i0, min_size(q->n - at, Nq - i0))};
}

static matrix rows_in(matrix a, const piece *p)
{
    return block(a, p->at, 0, p->i.n, a.cols);
}

/* ANCHOR: update */
/* Updates rows as flash2 does. Keys j are on chip. */
static void update(const piece *p, memory *mem, const tile *t, span j)
{
    const head *h = &p->h;
    matrix S = rows_in(t->S, p), O = rows_in(t->O, p);
    float *m = t->m + p->at, *l = t->l + p->at;

    scores(h, mem, &S, rows_in(t->Q, p), t->K, p->i, j);
    for (size_t r = 0; r < p->i.n; r++) {
        float *s = row(S, r), *o = row(O, r);
        float m_new = fmaxf(m[r], max_of(s, j.n));
        float l_tile = exponentiate(mem, h, s, j.n, m_new);
        float alpha = rescale_factor(mem, m[r], m_new);

        l[r] = alpha * l[r] + l_tile;
        weighted_sum(t->pv, s, t->V);
        rescale(mem, o, alpha, h->dv);
        axpy(o, 1, t->pv, h->dv);
        m[r] = m_new;
    }
}
/* ANCHOR_END: update */

/* True if any of rows at .. end - 1 sees any of keys j. */
static bool any_sees(const queries *q, size_t at, size_t end, span j)
{
    piece p;

    for (; at < end; at += p.i.n) {
        p = piece_at(q, at);
        if (visible(&p.h, p.i, j))
            return true;
    }
    return false;
}

/* ANCHOR: attend */
/* Updates rows at .. end - 1 with tile j of keys and all later tiles. Loads
 * these tiles from the sequence of row `at`. */
static void attend(const queries *q, size_t at, size_t end, memory *mem,
                   tile *t, span j)
{
    const head first = piece_at(q, at).h;
    piece p;

    for (; j.n; j = next(j)) {
        if (!any_sees(q, at, end, j))
            continue;
        load(mem, &t->K, first.K, j);
        load(mem, &t->V, first.V, j);
        for (size_t r = at; r < end; r += p.i.n) {
            p = piece_at(q, r);
            update(&p, mem, t, j);
        }
    }
}
/* ANCHOR_END: attend */

static void finish(const piece *p, memory *mem, const tile *t)
{
    const head *h = &p->h;
    matrix O = rows_in(t->O, p);
    float *m = t->m + p->at, *l = t->l + p->at;

    for (size_t r = 0; r < p->i.n; r++) {
        divide(mem, row(O, r), l[r], h->dv);
        m[r] += logf(l[r]);
    }
    store(mem, h->O, p->i, O);
    store_floats(mem, h->L, p->i, m);
}

/* ANCHOR: kernel */
static void attend_tile(const queries *q, size_t prefix, memory *mem, tile *t,
                        size_t Bc)
{
    size_t most = 0; /* the end of the keys that the rows see */
    piece p;

    clear(&t->O, all(q->n));
    fill_floats(t->m, all(q->n), -INFINITY);
    fill_floats(t->l, all(q->n), 0);
    for (size_t at = 0; at < q->n; at += p.i.n) {
        matrix Q;

        p = piece_at(q, at);
        Q = rows_in(t->Q, &p);
        load(mem, &Q, p.h.Q, p.i);
        most = max_size(most, seen(&p.h, p.i));
    }
    /* the keys of the prefix, for all rows */
    attend(q, 0, q->n, mem, t, first(min_size(prefix, most), Bc));
    /* the tail of each sequence, for its rows */
    for (size_t at = 0; at < q->n; at += p.i.n) {
        p = piece_at(q, at);
        attend(q, at, at + p.i.n, mem, t,
               first_from(prefix, seen(&p.h, p.i), Bc));
        finish(&p, mem, t);
    }
}

int cascade(const attention_step *step, const layer *l, memory *mem)
{
    const head *h = &l->each;
    tile_sizes t = flash2_tiles(h, mem->M);
    size_t rows = l->B * h->Nq, keys = min_size(t.Bc, h->Nk);
    size_t Br = min_size(t.Br, rows);
    tile on = {.Q = on_chip(mem, Br, h->d),
               .O = on_chip(mem, Br, h->dv),
               .K = on_chip(mem, keys, h->d),
               .V = on_chip(mem, keys, h->dv),
               .S = scratch(mem, Br, keys),
               .m = scratch_floats(mem, Br),
               .l = scratch_floats(mem, Br),
               .pv = scratch_floats(mem, h->dv)};

    (void)step;
    if (mem->error)
        return mem->error;
    for (size_t nth = 0; nth < l->Hq; nth++) {
        size_t prefix = cascade_prefix(l, nth);

        for (span r = first(rows, Br); r.n; r = next(r)) {
            queries q = {l, nth, r.first, r.n};

            attend_tile(&q, prefix, mem, &on, t.Bc);
        }
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
