/*
 * The usual suspects (suspects.h).
 */
#include "common/judge/suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/reference_attention.h"

enum {
    UNSCALED,
    SCALED_TWICE,
    NOT_RESCALED,
    NOT_DIVIDED,
    MASK_OFF_BY_ONE,
    CAUSAL_CORNER,
    SWAPPED_K_V,
    HEADS_INTERLEAVED,
    GQA_MODULO,
    RAGGED_TILE
};

const suspect suspects[SUSPECTS] = {
    {"unscaled", "The scores are not scaled: scale is 1."},
    {"scaled-twice", "The scores are scaled twice, by scale * scale."},
    {"not-rescaled", "When a tile raises the maximum, what was summed before "
                     "is not multiplied by alpha."},
    {"not-divided", "The rows are not divided by l at the end."},
    {"mask-off-by-one", "The limit of the mask is off by one key."},
    {"causal-corner", "The causal limit begins at the other corner: offset 0 "
                      "in place of Nk - Nq, or the other way round."},
    {"swapped-k-v", "K and V are swapped."},
    {"heads-interleaved", "The arrays are (B, H, N, d), and were taken for "
                          "(B, N, H, d)."},
    {"gqa-modulo",
     "Query head h takes key head h % Hk, and not h / (Hq / Hk)."},
    {"ragged-tile", "The last tile, which is not full, is left out, or filled "
                    "up with keys of zeros that count."},
};

/* How a head is computed by somebody who makes mistakes; 0: as it should be. */
typedef struct {
    bool keeps_o, keeps_l; /* not multiplied by alpha */
    bool undivided;
    bool drops_keys, drops_queries, pads; /* of the last tile */
} habits;

/* --- A row ------------------------------------------------------------------ */

/*
 * o (dv) of query i, Bc keys at a time; s: Nk numbers. Who does not multiply by
 * alpha leaves each tile as it was under the maximum of its time, m.
 */
static void attend_row(const head *h, const habits *how, size_t Bc, size_t i,
                       double *s, double *o)
{
    size_t n = how->drops_keys ? h->Nk / Bc * Bc : h->Nk;
    double m = -(double)INFINITY, most = m, last, l = 0;
    const float *sink = h->rule.sink;

    memset(o, 0, h->dv * sizeof *o);
    for (size_t j = 0; j < n; j++) {
        s[j] = reference_score(h, i, j);
        most = fmax(most, s[j]);
    }
    last = sink ? fmax(most, (double)*sink) : most;
    for (size_t j = 0; j < n && !isinf(last); j++) {
        double p = exp(s[j] - last), then;

        for (size_t k = j; j % Bc == 0 && k < n && k - j < Bc; k++)
            m = fmax(m, s[k]);
        then = isinf(m) ? 0 : exp(s[j] - m + most - last);
        l += how->keeps_l ? then : p;
        for (size_t c = 0; c < h->dv; c++)
            o[c] += (how->keeps_o ? then : p) * (double)row(h->V.hbm, j)[c];
    }
    if (how->pads)
        l += (double)(tiles(n, Bc) * Bc - n) * exp(-last);
    if (sink)
        l += exp((double)*sink - last);
    for (size_t c = 0; c < h->dv && !how->undivided && l > 0; c++)
        o[c] /= l;
}

/* --- Does it fit? ----------------------------------------------------------- */

/* The head's rows of somebody's output; where a suspect has put them, and how
 * many floats from one another; and what is right. */
typedef struct {
    const float *plain, *got;
    size_t apart;
    const double *right;
} answer;

/* Does the answer lie ten times nearer to what these habits give than to what
 * is right, and near it? Of a head of many queries some are asked. */
static int fits(const head *h, const habits *how, tile_sizes t, const answer *a,
                double *room)
{
    size_t step = tiles(h->Nq, 512);
    double near = 0, far = 0, size = 0;

    for (size_t i = 0; i < h->Nq; i += step) {
        double *o = room, *s = room + h->dv;

        attend_row(h, how, t.Bc, i, s, o);
        if (how->drops_queries && i >= h->Nq / t.Br * t.Br)
            memset(o, 0, h->dv * sizeof *o);
        for (size_t c = 0; c < h->dv; c++) {
            double got = (double)a->got[i * a->apart + c];
            double off =
                (double)a->plain[i * h->dv + c] - a->right[i * h->dv + c];

            near += (got - o[c]) * (got - o[c]);
            far += off * off;
            size += o[c] * o[c];
        }
    }
    /* Nothing but zeros is what any program leaves that writes nothing. */
    return near <= far / 100 && near <= size * 1e-4 && far > 0 && size > 0;
}

/* --- The suspects ----------------------------------------------------------- */

/* Matrix of rows that lie between those of the other heads. */
static void interleave(array *a, float *all, size_t b, size_t h, size_t H)
{
    a->hbm.data = all + (b * a->hbm.rows * H + h) * a->hbm.cols;
    a->hbm.stride = H * a->hbm.cols;
}

/* The head as the suspect takes it; false if he has no motive. */
static bool disguise(size_t k, const layer *l, size_t nth, int way, head *h,
                     answer *a, habits *how)
{
    size_t b = nth / l->Hq, q = nth % l->Hq, group = l->Hq / l->Hk;
    long corner = (long)h->Nk - (long)h->Nq;

    switch (k) {
    case UNSCALED:
        h->scale = 1;
        return way == 0;
    case SCALED_TWICE:
        h->scale *= h->scale;
        return way == 0;
    case NOT_RESCALED:
        how->keeps_o = way < 2;
        how->keeps_l = way > 0;
        return way < 3;
    case NOT_DIVIDED:
        how->undivided = true;
        return way == 0;
    case MASK_OFF_BY_ONE:
        h->rule.offset += h->rule.causal && way < 2 ? 1 - 2 * way : 0;
        if (way >= 2 && h->rule.window + (size_t)(way == 2) > 1)
            h->rule.window += way == 2 ? 1 : (size_t)-1;
        return way < 2 ? h->rule.causal : way < 4 && l->each.rule.window;
    case CAUSAL_CORNER:
        h->rule.offset = h->rule.offset ? 0 : corner;
        return way == 0 && h->rule.causal && corner;
    case SWAPPED_K_V:
        h->K = h->V;
        h->V = head_at(l, nth).K;
        return way == 0 && h->d == h->dv;
    case HEADS_INTERLEAVED:
        a->got = way == 2 ? a->got
                          : a->got - nth * h->Nq * h->dv +
                                (b * h->Nq * l->Hq + q) * h->dv;
        a->apart = way == 2 ? h->dv : l->Hq * h->dv;
        if (way) {
            interleave(&h->Q, l->each.Q.hbm.data, b, q, l->Hq);
            interleave(&h->K, l->each.K.hbm.data, b, q / group, l->Hk);
            interleave(&h->V, l->each.V.hbm.data, b, q / group, l->Hk);
        }
        return way < 3 && l->Hq > 1;
    case GQA_MODULO:
        h->K = head_at(l, b * l->Hq + q % l->Hk * group).K;
        h->V = head_at(l, b * l->Hq + q % l->Hk * group).V;
        return way == 0 && q % l->Hk != q / group;
    default:
        how->drops_keys = way == 0;
        how->drops_queries = way == 1;
        how->pads = way == 2;
        return way < 3;
    }
}

enum { WAYS = 4 };

int suspect_fits(size_t k, const layer *l, size_t nth, const float *got,
                 const double *right, size_t *Bc)
{
    bool tiled = k == NOT_RESCALED || k == RAGGED_TILE;
    size_t asked = l->each.tile.Bc, largest = max_size(asked, 256);
    double *room = malloc((l->each.dv + l->each.Nk) * sizeof *room);
    int found = room ? 0 : -1;

    for (int way = 0; way < WAYS && found == 0; way++)
        for (size_t t = asked ? asked : 1; t <= largest && found == 0;
             t = t == 1 ? 16 : 2 * t) {
            head h = head_at(l, nth);
            const float *plain = got + nth * h.Nq * h.dv;
            answer a = {plain, plain, h.dv, right};
            habits how = {.undivided = false};
            tile_sizes rows = {l->each.tile.Br ? l->each.tile.Br : t, t};

            if (disguise(k, l, nth, way, &h, &a, &how))
                found = fits(&h, &how, rows, &a, room);
            *Bc = found && tiled ? t : 0;
            if (!tiled || asked)
                break;
        }
    free(room);
    return found;
}
