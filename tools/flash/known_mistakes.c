#include "tools/flash/known_mistakes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"
#include "common/judge/reference_gradients.h"

enum {
    UNSCALED,
    SCALED_TWICE,
    WRONG_BASE,
    HALF_OF_D,
    NOT_RESCALED,
    NOT_DIVIDED,
    CAUSAL_FORGOTTEN,
    MASK_OFF_BY_ONE,
    CAUSAL_CORNER,
    UNSEEN_ROWS,
    SWAPPED_K_V,
    HEADS_INTERLEAVED,
    GQA_MODULO,
    RAGGED_TILE,
    L_BASE_2,
    L_TIMES_LN_2,
    L_WITHOUT_M,
    M_WITHOUT_LN_L,
    HEADS_NOT_SUMMED
};

const known_mistake known_mistakes[KNOWN_MISTAKES] = {
    {"unscaled", "The scores are not scaled: scale is 1.", OF_O | OF_GRADIENTS},
    {"scaled-twice", "The scores are scaled twice, by scale * scale.",
     OF_O | OF_GRADIENTS},
    {"exp2-without-log2e",
     "The weights are 2^s for scores s that were not multiplied by log2(e), or "
     "e^s for scores s that were.",
     OF_O},
    {"half-of-d", "q . k is summed over the first half of the d columns.",
     OF_O},
    {"not-rescaled",
     "When a tile raises the maximum, the sums of earlier tiles are not "
     "multiplied by alpha.",
     OF_O},
    {"not-divided", "The rows are not divided by l at the end.", OF_O},
    {"causal-forgotten",
     "The output has a causal limit but the options of this command have none, "
     "or vice versa.",
     OF_O | OF_GRADIENTS},
    {"mask-off-by-one", "The causal limit or the window is off by one key.",
     OF_O | OF_GRADIENTS},
    {"causal-corner",
     "The causal limit begins in the wrong corner: the offset is 0 instead of "
     "Nk - Nq, or vice versa.",
     OF_O | OF_GRADIENTS},
    {"unseen-rows",
     "Rows that see no key are NaN or the mean of V. They should be 0.", OF_O},
    {"swapped-k-v", "K and V are swapped.", OF_O},
    {"heads-interleaved",
     "The arrays are (B, H, N, d), but were read or written as (B, N, H, d).",
     OF_O},
    {"gqa-modulo",
     "Query head h uses key head h % Hk instead of h / (Hq / Hk).", OF_O},
    {"ragged-tile",
     "The last tile is not full. It is left out, or it is filled with keys of "
     "zeros that are not masked.",
     OF_O},
    {"l-base-2", "L is a logarithm in base 2: it needs the factor ln 2.", OF_L},
    {"l-times-ln-2", "L is multiplied by ln 2 but should not be.", OF_L},
    {"l-without-m", "L is ln l, without the maximum m.", OF_L},
    {"m-without-ln-l", "L is the maximum m, without ln l.", OF_L},
    {"heads-not-summed",
     "dK and dV are of one query head. They should be the sum over all query "
     "heads that share the key head.",
     OF_GRADIENTS},
};

size_t mistakes_of(int of)
{
    size_t n = 0;

    for (size_t k = 0; k < KNOWN_MISTAKES; k++)
        n += (known_mistakes[k].of & of) != 0;
    return n;
}

/* How a head is computed. With times = 1 and no flag there is no mistake. */
typedef struct {
    double times;                   /* factor of the final scores */
    double sink;                    /* or NO_SINK */
    bool keeps_o, keeps_l;          /* o or l is not multiplied by alpha */
    bool undivided;                 /* o is not divided by l */
    bool drops_keys, drops_queries; /* a last tile, if not full, is left out */
    bool pads;                      /* keys of zeros fill the last tile */
} mistakes;

/* --- A row ---------------------------------------------------------------- */

/*
 * Computes o (dv numbers) of query i in tiles of Bc keys. s is a buffer for Nk
 * numbers. Without the factor alpha, the weights of a tile stay relative to the
 * maximum m after that tile. Returns false if the query has no key and no sink.
 */
static bool attend_row(const head *h, const mistakes *how, size_t Bc, size_t i,
                       double *s, double *o)
{
    size_t n = how->drops_keys ? h->Nk / Bc * Bc : h->Nk;
    double m = -(double)INFINITY, m_keys = m, m_end, l = 0;
    double z = how->times * how->sink;

    memset(o, 0, h->dv * sizeof *o);
    for (size_t j = 0; j < n; j++) {
        s[j] = how->times * reference_score(h, i, j);
        m_keys = fmax(m_keys, s[j]);
    }
    m_end = fmax(m_keys, z);
    for (size_t j = 0; j < n && !isinf(m_end); j++) {
        double p = exp(s[j] - m_end), stale;

        for (size_t k = j; j % Bc == 0 && k < n && k - j < Bc; k++)
            m = fmax(m, s[k]);
        stale = isinf(m) ? 0 : exp(s[j] - m + m_keys - m_end);
        l += how->keeps_l ? stale : p;
        for (size_t c = 0; c < h->dv; c++)
            o[c] += (how->keeps_o ? stale : p) * (double)row(h->V.hbm, j)[c];
    }
    if (how->pads)
        l += (double)(tiles(n, Bc) * Bc - n) * exp(-m_end);
    if (z != NO_SINK)
        l += exp(z - m_end);
    for (size_t c = 0; c < h->dv && !how->undivided && l > 0; c++)
        o[c] /= l;
    return m_end != -(double)INFINITY;
}

/* --- Comparison ----------------------------------------------------------- */

/* The rows of a head in the user's O, and O and L of the head in float64. */
typedef struct {
    const float *plain; /* where the head's rows belong; the stride is dv */
    const float *got;   /* where a program with the mistake writes the rows */
    size_t stride;      /* the stride of got */
    const double *right, *L;
} answer;

static bool sees_nothing(const answer *a, size_t i)
{
    return a->L[i] == -(double)INFINITY;
}

/* True if the user's output is near the result of these mistakes, and ten times
 * nearer than to the right result. Rows that see no key, right or mistaken, are
 * not compared, because programs write different values there. At most 512 rows
 * are compared. buffer is for dv + Nk numbers. */
static bool fits(const head *h, const mistakes *how, tile_sizes t,
                 const answer *a, double *buffer)
{
    size_t step = tiles(h->Nq, 512);
    double to_mistake = 0, to_right = 0, size = 0;

    for (size_t i = 0; i < h->Nq; i += step) {
        double *o = buffer, *s = buffer + h->dv;

        if (!attend_row(h, how, t.Bc, i, s, o) || sees_nothing(a, i))
            continue;
        if (how->drops_queries && i >= h->Nq / t.Br * t.Br)
            memset(o, 0, h->dv * sizeof *o);
        for (size_t c = 0; c < h->dv; c++) {
            double got = (double)a->got[i * a->stride + c];
            double off =
                (double)a->plain[i * h->dv + c] - a->right[i * h->dv + c];

            to_mistake += (got - o[c]) * (got - o[c]);
            to_right += off * off;
            size += o[c] * o[c];
        }
    }
    /* An output of zeros matches no mistake: perhaps nothing was written. */
    return to_mistake <= to_right / 100 && to_mistake <= size * 1e-4 &&
           to_right > 0 && size > 0;
}

/* --- Rows that see no key ------------------------------------------------- */

static bool is_nan_or_mean(const head *h, const float *got, const double *mean)
{
    double off = 0, size = 0;
    size_t nans = 0;

    for (size_t c = 0; c < h->dv; c++) {
        nans += isnan(got[c]) != 0;
        off += ((double)got[c] - mean[c]) * ((double)got[c] - mean[c]);
        size += mean[c] * mean[c];
    }
    return nans == h->dv || off <= size * 1e-4;
}

/* True if some rows that see no key are wrong, all of these are NaN or the mean
 * of V, and no other row has a NaN. mean is a buffer for dv numbers. */
static bool fits_unseen_rows(const head *h, const answer *a, double *mean)
{
    size_t wrong = 0;

    memset(mean, 0, h->dv * sizeof *mean);
    for (size_t j = 0; j < h->Nk; j++)
        for (size_t c = 0; c < h->dv; c++)
            mean[c] += (double)row(h->V.hbm, j)[c] / (double)h->Nk;
    for (size_t i = 0; i < h->Nq; i++) {
        const float *got = a->plain + i * h->dv;
        double sum = 0, size = 0;

        for (size_t c = 0; c < h->dv; c++) {
            sum += (double)got[c] - a->right[i * h->dv + c];
            size += fabs((double)got[c]);
        }
        if (!sees_nothing(a, i) ? isnan(sum)
                                : size != 0 && !is_nan_or_mean(h, got, mean))
            return false;
        wrong += sees_nothing(a, i) && size != 0;
    }
    return wrong > 0;
}

/* --- The mistakes --------------------------------------------------------- */

/* Sets a to head h of H heads, as if the array were (B, N, H, d). */
static void interleave(array *a, float *all, size_t b, size_t h, size_t H)
{
    a->hbm.data = all + (b * a->hbm.rows * H + h) * a->hbm.cols;
    a->hbm.stride = H * a->hbm.cols;
}

/* v is the number of a variant of the mistake. Returns false if this problem
 * does not have the variant. */
static bool make_mistake(size_t k, const layer *l, size_t nth, int v, head *h,
                         answer *a, mistakes *how)
{
    size_t b = nth / l->Hq, q = nth % l->Hq, group = l->Hq / l->Hk;
    long corner = (long)h->Nk - (long)h->Nq;

    switch (k) {
    case UNSCALED:
        h->scale = 1;
        return v == 0;
    case SCALED_TWICE:
        h->scale *= h->scale;
        return v == 0;
    case WRONG_BASE:
        how->times = v ? 1 / log(2) : log(2);
        return v < 2;
    case HALF_OF_D:
        h->d /= 2;
        h->scale *= v ? sqrtf(2) : 1;
        return v < 2 && h->d > 0;
    case CAUSAL_FORGOTTEN:
        h->rule.causal = !h->rule.causal;
        h->rule.offset = v ? 0 : h->rule.offset;
        return v == 0 || (v == 1 && h->rule.causal);
    case NOT_RESCALED:
        how->keeps_o = v < 2;
        how->keeps_l = v > 0;
        return v < 3;
    case NOT_DIVIDED:
        how->undivided = true;
        return v == 0;
    case MASK_OFF_BY_ONE:
        h->rule.offset += h->rule.causal && v < 2 ? 1 - 2 * v : 0;
        if (v >= 2 && h->rule.window + (size_t)(v == 2) > 1)
            h->rule.window += v == 2 ? 1 : (size_t)-1;
        return v < 2 ? h->rule.causal : v < 4 && l->each.rule.window;
    case CAUSAL_CORNER:
        h->rule.offset = h->rule.offset ? 0 : corner;
        return v == 0 && h->rule.causal && corner;
    case SWAPPED_K_V:
        h->K = h->V;
        h->V = head_at(l, nth).K;
        return v == 0 && h->d == h->dv;
    case HEADS_INTERLEAVED:
        a->got = v == 2 ? a->got
                        : a->got - nth * h->Nq * h->dv +
                              (b * h->Nq * l->Hq + q) * h->dv;
        a->stride = v == 2 ? h->dv : l->Hq * h->dv;
        if (v) {
            interleave(&h->Q, l->each.Q.hbm.data, b, q, l->Hq);
            interleave(&h->K, l->each.K.hbm.data, b, q / group, l->Hk);
            interleave(&h->V, l->each.V.hbm.data, b, q / group, l->Hk);
        }
        return v < 3 && l->Hq > 1;
    case GQA_MODULO:
        h->K = head_at(l, b * l->Hq + q % l->Hk * group).K;
        h->V = head_at(l, b * l->Hq + q % l->Hk * group).V;
        return v == 0 && q % l->Hk != q / group;
    default:
        how->drops_keys = v == 0;
        how->drops_queries = v == 1;
        how->pads = v == 2;
        return v < 3;
    }
}

enum { VARIANTS = 4 };

int mistake_fits(size_t k, const problem *p, size_t nth, const float *got,
                 const double *right, const double *L, size_t *Bc)
{
    const layer *l = &p->layer;
    bool tiled = k == NOT_RESCALED || k == RAGGED_TILE;
    size_t given_Bc = l->each.tile.Bc, largest = max_size(given_Bc, 256);
    double *buffer = malloc((l->each.dv + l->each.Nk) * sizeof *buffer);
    int found = buffer ? 0 : -1;

    *Bc = 0;
    for (int v = 0; v < VARIANTS && found == 0; v++)
        for (size_t t = given_Bc ? given_Bc : 1; t <= largest && found == 0;
             t = t == 1 ? 16 : 2 * t) {
            head h = head_at(l, nth);
            const float *plain = got + nth * h.Nq * h.dv;
            answer a = {plain, plain, h.dv, right, L};
            mistakes how = {.times = 1, .sink = sink_of(p, nth)};
            tile_sizes rows = {l->each.tile.Br ? l->each.tile.Br : t, t};

            if (k == UNSEEN_ROWS)
                found = v == 0 && fits_unseen_rows(&h, &a, buffer);
            else if (make_mistake(k, l, nth, v, &h, &a, &how))
                found = fits(&h, &how, rows, &a, buffer);
            *Bc = found > 0 && tiled ? t : 0;
            if (!tiled || given_Bc)
                break;
        }
    free(buffer);
    return found;
}

/* --- L -------------------------------------------------------------------- */

int lse_mistake_fits(size_t k, const head *h, double sink, const float *got)
{
    size_t step = tiles(h->Nq, 512);
    double *p = malloc((h->Nk + 1) * sizeof *p);
    double to_mistake = 0, to_right = 0, size = 0;

    if (!p)
        return -1;
    for (size_t i = 0; i < h->Nq; i += step) {
        double m, l, L, wrong, off;

        reference_weights(h, i, p, &m, &l);
        L = lse_with_sink(m + log(l), sink);
        m = fmax(m, sink);
        wrong = k == L_BASE_2       ? L / log(2)
                : k == L_TIMES_LN_2 ? L * log(2)
                : k == L_WITHOUT_M  ? L - m
                                    : m;
        if (isinf(L))
            continue;
        off = (double)got[i] - wrong;
        to_mistake += off * off;
        off = (double)got[i] - L;
        to_right += off * off;
        size += fmax(1, wrong * wrong);
    }
    free(p);
    return to_mistake <= to_right / 100 && to_mistake <= size * 1e-6 &&
           to_right > 0;
}

/* --- Gradients ------------------------------------------------------------ */

/* Computes dQ, dK and dV for the n query heads from `first` that share a key
 * head. For HEADS_NOT_SUMMED, dK and dV of each head replace the previous ones.
 * Returns 1, or 0 if this variant does not exist, or -1 without memory. */
static int mistaken_gradients(size_t k, const backward_problem *b, size_t first,
                              size_t n, int v, double *const grads[3])
{
    const head *each = &b->forward.layer.each;
    bool unsummed = k == HEADS_NOT_SUMMED;

    if (unsummed && (n < 2 || v > 1))
        return 0;
    for (size_t q = 0; q < n; q++) {
        size_t nth = unsummed && v ? n - 1 - q : q;
        gradients g = gradients_at(b, first + nth);
        answer a = {NULL, NULL, 0, NULL, NULL};
        mistakes how = {.times = 1};

        if (!unsummed &&
            !make_mistake(k, &b->forward.layer, first + nth, v, &g.h, &a, &how))
            return 0;
        g.add = q > 0 && !unsummed;
        if (reference_gradients(&g, sink_of(&b->forward, first + nth),
                                grads[0] + nth * each->Nq * each->d, grads[1],
                                grads[2]) < 0)
            return -1;
    }
    return 1;
}

int gradient_mistake_fits(size_t k, const backward_problem *b, size_t first,
                          const bool given[3], double limit)
{
    const layer *l = &b->forward.layer;
    const head *h = &l->each;
    size_t n = l->Hq / l->Hk, kv = first / n;
    const size_t sizes[] = {n * h->Nq * h->d, h->Nk * h->d, h->Nk * h->dv};
    const float *const got[] = {b->dQ.data + first * h->Nq * h->d,
                                b->dK.data + kv * sizes[1],
                                b->dV.data + kv * sizes[2]};
    const double *const right[] = {b->truth_Q + first * h->Nq * h->d,
                                   b->truth_K + kv * sizes[1],
                                   b->truth_V + kv * sizes[2]};
    double *buffer =
        malloc((sizes[0] + sizes[1] + sizes[2] + 1) * sizeof *buffer);
    double *const wrong[] = {buffer, buffer + sizes[0],
                             buffer + sizes[0] + sizes[1]};
    int found = buffer ? 0 : -1;

    for (int v = 0; v < VARIANTS && found == 0; v++) {
        found = mistaken_gradients(k, b, first, n, v, wrong);
        for (int a = 0; a < 3 && found > 0; a++) {
            double off = relative_error(got[a], wrong[a], sizes[a]);
            double error = relative_error(got[a], right[a], sizes[a]);

            found =
                !given[a] || off <= limit || (off <= error / 10 && off <= 0.01);
        }
    }
    free(buffer);
    return found;
}
