/*
 * Cascade: many sequences that begin alike read their beginning together.
 *
 * Changed since flash2: a tile of queries may have rows of several sequences of
 * a batch. The keys that all sequences begin with, a prompt or a document, are
 * loaded once for the whole tile; then each sequence has its own tail of keys,
 * for its own rows. Since (m, l, O) of the prefix is merged with that of the
 * tail by the update as ever, no row notices.
 *
 * How long the prefix is we find by looking, which is not counted: a server
 * knows it, because the sequences share pages.
 *
 * Ye et al., Cascade Inference (FlashInfer, 2024); Juravsky et al.,
 * Hydragen, arXiv 2402.05099. docs/variants.md
 */
#include "06_flash2/steps.h"

#include <string.h>

#include "common/layer.h"
#include "common/scores.h"

/* ANCHOR: prefix */
/* How many keys all sequences of the batch begin with, for query head nth. */
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

/* A tile on chip: rows of queries, and the keys that they look at. */
typedef struct {
    matrix Q, O, K, V, S;
    float *m, *l, *pv;
} tile;

/* Its queries: of head nth of all sequences, one behind the other, n rows from
 * row r0 on. */
typedef struct {
    const layer *l;
    size_t nth, r0, n;
} queries;

/* Rows at .. at + n - 1 of the tile: queries i .. of one sequence, h. */
typedef struct {
    head h;
    size_t at, n, i;
} piece;

static piece piece_at(const queries *q, size_t at)
{
    size_t Nq = q->l->each.Nq, r = q->r0 + at;
    head h = head_at(q->l, r / Nq * q->l->Hq + q->nth);

    return (piece){h, at, min_size(q->n - at, Nq - r % Nq), r % Nq};
}

/* ANCHOR: update */
/* flash2's, word for word: a piece against the bc keys that are there. */
static void update(const piece *p, memory *mem, const tile *t, size_t bc,
                   size_t j0)
{
    const head *h = &p->h;

    scores(h, mem, block(t->S, p->at, 0, p->n, bc),
           block(t->Q, p->at, 0, p->n, h->d), t->K, p->i, j0);
    for (size_t i = p->at; i < p->at + p->n; i++) {
        float *s = row(t->S, i), *o = row(t->O, i);
        float m_new = fmaxf(t->m[i], max_of(s, bc));
        float alpha = exp_minus(t->m[i], m_new);

        t->l[i] = alpha * t->l[i] + weights(h, s, bc, m_new);
        weighted_sum(t->pv, s, top(t->V, bc));
        rescale(o, alpha, h->dv);
        axpy(o, 1, t->pv, h->dv);
        t->m[i] = m_new;
        count(mem, (counts){.exps = bc + 1, .rescales = 1 + h->dv});
    }
}
/* ANCHOR_END: update */

/* Do keys j0 .. j0 + bc - 1 lie outside of the windows of rows at .. end - 1? */
static bool all_unseen(const queries *q, size_t at, size_t end, size_t j0,
                       size_t bc)
{
    piece p;

    for (; at < end; at += p.n) {
        p = piece_at(q, at);
        if (!is_unseen(&p.h, p.i, p.n, j0, bc))
            return false;
    }
    return true;
}

/* ANCHOR: attend */
/* Rows at .. end - 1 against keys j0 .. seen - 1 of the first one's sequence:
 * a tile of keys is loaded once for all of them. */
static void attend(const queries *q, size_t at, size_t end, memory *mem,
                   const tile *t, size_t Bc, size_t j0, size_t seen)
{
    const head first = piece_at(q, at).h;
    piece p;

    for (size_t bc; j0 < seen; j0 += bc) {
        bc = min_size(Bc, seen - j0);
        if (all_unseen(q, at, end, j0, bc))
            continue;
        load(mem, top(t->K, bc), first.K, j0, 0);
        load(mem, top(t->V, bc), first.V, j0, 0);
        for (size_t row = at; row < end; row += p.n) {
            p = piece_at(q, row);
            update(&p, mem, t, bc, j0);
        }
    }
}
/* ANCHOR_END: attend */

/* O / l and L of a piece, and off they go. */
static void finish(const piece *p, memory *mem, const tile *t)
{
    const head *h = &p->h;

    for (size_t i = p->at; i < p->at + p->n; i++) {
        rescale(row(t->O, i), inverse(t->l[i]), h->dv);
        t->m[i] += logf(t->l[i]);
        count(mem, (counts){.divisions = h->dv});
    }
    store(mem, h->O, p->i, 0, block(t->O, p->at, 0, p->n, h->dv));
    store(mem, h->L, p->i, 0, column(t->m + p->at, p->n));
}

/* ANCHOR: kernel */
static void attend_tile(const queries *q, size_t prefix, memory *mem,
                        const tile *t, size_t Bc)
{
    const head first = piece_at(q, 0).h;
    size_t seen = 0;
    piece p;

    fill(t->O, 0);
    fill(column(t->m, q->n), m_before(&first));
    fill(column(t->l, q->n), l_before(&first));
    for (size_t at = 0; at < q->n; at += p.n) {
        size_t sees;

        p = piece_at(q, at);
        load(mem, block(t->Q, at, 0, p.n, p.h.d), p.h.Q, p.i, 0);
        sees = keys_seen_by(&p.h, p.i, p.n);
        seen = sees > seen ? sees : seen;
    }
    /* the prefix: for all rows at once */
    attend(q, 0, q->n, mem, t, Bc, 0, min_size(prefix, seen));
    /* the tails: for the rows of each sequence */
    for (size_t at = 0; at < q->n; at += p.n) {
        p = piece_at(q, at);
        attend(q, at, at + p.n, mem, t, Bc, prefix,
               keys_seen_by(&p.h, p.i, p.n));
        finish(&p, mem, t);
    }
}

int cascade_layer(const attention_step *step, const layer *l, memory *mem)
{
    const head *h = &l->each;
    tile_sizes t = flash2_tiles(h, mem->M);
    size_t all = l->B * h->Nq;
    size_t rows = min_size(t.Br, all), keys = min_size(t.Bc, h->Nk);
    tile on = {.Q = on_chip(mem, rows, h->d),
               .O = on_chip(mem, rows, h->dv),
               .K = on_chip(mem, keys, h->d),
               .V = on_chip(mem, keys, h->dv),
               .S = scratch(mem, rows, keys),
               .m = scratch_floats(mem, rows),
               .l = scratch_floats(mem, rows),
               .pv = scratch_floats(mem, h->dv)};

    (void)step;
    if (mem->error)
        return mem->error;
    for (size_t nth = 0; nth < l->Hq; nth++) {
        size_t prefix = cascade_prefix(l, nth);

        for (size_t r0 = 0; r0 < all; r0 += t.Br) {
            queries q = {l, nth, r0, min_size(t.Br, all - r0)};

            attend_tile(&q, prefix, mem, &on, t.Bc);
        }
    }
    return mem->error;
}
/* ANCHOR_END: kernel */

int cascade(const head *h, memory *mem)
{
    layer one = layer_of(h);

    return cascade_layer(NULL, &one, mem);
}
