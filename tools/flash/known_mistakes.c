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
    SCALE_INVERTED,
    SCALE_OF_ALL_HEADS,
    WRONG_BASE,
    HALF_OF_D,
    SOFTCAP_FORGOTTEN,
    ALIBI_FORGOTTEN,
    SINK_FORGOTTEN,
    MASK_FORGOTTEN,
    MASK_AFTER_SOFTMAX,
    ZERO_SCORES,
    OVER_QUERIES,
    LOW_ROWS,
    NOT_RESCALED,
    NOT_DIVIDED,
    CAUSAL_FORGOTTEN,
    MASK_OFF_BY_ONE,
    CAUSAL_CORNER,
    CAUSAL_TRANSPOSED,
    UNSEEN_ROWS,
    SWAPPED_K_V,
    HEADS_INTERLEAVED,
    GQA_MODULO,
    KEY_HEAD_0,
    LAST_KEY,
    RAGGED_TILE,
    L_BASE_2,
    L_TIMES_LN_2,
    L_WITHOUT_M,
    M_WITHOUT_LN_L,
    L_DOUBLED,
    L_OF_UNSEEN_ROWS,
    HEADS_NOT_SUMMED,
    DS_WITHOUT_D,
    DS_UNSCALED,
    DS_NOT_TRANSPOSED,
    DK_DV_SWAPPED
};

const known_mistake known_mistakes[KNOWN_MISTAKES] = {
    {"unscaled", "The scores are not scaled: scale is 1.", OF_O | OF_GRADIENTS},
    {"scaled-twice", "The scores are scaled twice, by scale * scale.",
     OF_O | OF_GRADIENTS},
    {"scale-inverted",
     "The scores are divided by the scale: multiplied by sqrt(d) instead of "
     "1 / sqrt(d).",
     OF_O | OF_GRADIENTS},
    {"scale-of-d-model",
     "The scale is that of all heads together, 1 / sqrt(Hq d), instead of "
     "1 / sqrt(d).",
     OF_O | OF_GRADIENTS},
    {"exp2-without-log2e",
     "The weights are 2^s for scores s that were not multiplied by log2(e), or "
     "e^s for scores s that were.",
     OF_O},
    {"half-of-d", "q . k is summed over the first half of the d columns.",
     OF_O},
    {"softcap-forgotten", "The softcap is left out.", OF_O | OF_GRADIENTS},
    {"alibi-forgotten", "ALiBi's slopes are left out.", OF_O | OF_GRADIENTS},
    {"sink-forgotten", "The sink is left out of the sum l.",
     OF_O | OF_GRADIENTS},
    {"mask-forgotten",
     "The mask is not added (or is 0 where it should be -inf), or the window "
     "is left out.",
     OF_O | OF_GRADIENTS},
    {"mask-after-softmax",
     "The mask or the limit is applied after the softmax, so the sum l "
     "includes masked keys.",
     OF_O},
    {"masked-score-0",
     "The score of a masked key is 0. It should be -inf, because e^0 is 1.",
     OF_O},
    {"softmax-over-queries",
     "The weights of a key sum to 1 over the queries. Those of a query should "
     "sum to 1 over the keys.",
     OF_O},
    {"m-starts-at-0",
     "The maximum m starts at 0 (or FLT_MIN, which is positive) instead of "
     "-inf: rows with only scores below -104 are NaN or 0.",
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
    {"mask-off-by-one",
     "The causal limit (j < i for j <= i) or the window is off by one key.",
     OF_O | OF_GRADIENTS},
    {"causal-corner",
     "The causal limit begins in the wrong corner: the offset is 0 instead of "
     "Nk - Nq, or vice versa.",
     OF_O | OF_GRADIENTS},
    {"causal-transposed",
     "The causal limit is transposed: query i sees the keys j >= i.", OF_O},
    {"unseen-rows",
     "Rows that see no key are NaN or the mean of V. They should be 0.", OF_O},
    {"swapped-k-v", "K and V are swapped.", OF_O},
    {"heads-interleaved",
     "The arrays are (B, H, N, d), but were read or written as (B, N, H, d).",
     OF_O},
    {"gqa-modulo",
     "Query head h uses key head h % Hk instead of h / (Hq / Hk).", OF_O},
    {"key-head-0", "The head uses K and V of head 0, or of batch 0.", OF_O},
    {"last-key", "The last key is left out.", OF_O},
    {"ragged-tile",
     "The last tile is not full. It is left out, or it is filled with keys of "
     "zeros that are not masked.",
     OF_O},
    {"l-base-2", "L is a logarithm in base 2: it needs the factor ln 2.", OF_L},
    {"l-times-ln-2", "L is multiplied by ln 2 but should not be.", OF_L},
    {"l-without-m", "L is ln l, without the maximum m.", OF_L},
    {"m-without-ln-l", "L is the maximum m, without ln l.", OF_L},
    {"l-doubled", "L is twice as large as it should be.", OF_L},
    {"l-of-unseen-rows", "L of rows that see no key should be -inf.", OF_L},
    {"heads-not-summed",
     "dK and dV are of one query head. They should be the sum over all query "
     "heads that share the key head.",
     OF_GRADIENTS},
    {"ds-without-d", "dS is P o dP, without the subtraction of D.",
     OF_GRADIENTS},
    {"ds-unscaled", "dQ or dK lacks the factor scale.", OF_GRADIENTS},
    {"ds-not-transposed",
     "dK is dS Q instead of dS^T Q (or dV is P dO instead of P^T dO).",
     OF_GRADIENTS},
    {"dk-dv-swapped", "dK and dV are swapped.", OF_GRADIENTS},
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
    bool zeros;                     /* the score of a masked key is 0 */
    bool transposed;                /* query i sees the keys j >= i + first */
    long first;
    bool sums_others; /* l is the sum of the weights of another head */
    head other;
    bool over_queries; /* the weights of a key sum to 1 */
    double *columns;   /* a buffer for the logarithms of their sums */
} mistakes;

/* --- A row ---------------------------------------------------------------- */

static double mistaken_score(const head *h, const mistakes *how, size_t i,
                             size_t j)
{
    double s = how->times * reference_score(h, i, j);

    if (how->transposed && (long)j < (long)i + how->first)
        s = -HUGE_VAL;
    if (how->zeros && has_large_mask(h, i, j) && s < -1000)
        s = -HUGE_VAL; /* -1e9 means the same */
    if (s == -HUGE_VAL)
        return how->zeros ? 0 : s;
    return how->over_queries ? s - how->columns[j] : s;
}

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
        s[j] = mistaken_score(h, how, i, j);
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
    if (how->sums_others)
        l = 0;
    for (size_t j = 0; j < n && how->sums_others; j++)
        l += exp(reference_score(&how->other, i, j) - m_end);
    if (z != NO_SINK)
        l += exp(z - m_end);
    if (how->over_queries)
        l = exp(-m_end);
    for (size_t c = 0; c < h->dv && !how->undivided && l > 0; c++)
        o[c] /= l;
    return m_end != -(double)INFINITY;
}

/* Computes the logarithm of the sum of e^score over the queries, for each key. */
static void sum_columns(const head *h, double *columns)
{
    for (size_t j = 0; j < h->Nk; j++) {
        double m = -HUGE_VAL, l = 0;

        for (size_t i = 0; i < h->Nq; i++)
            m = fmax(m, reference_score(h, i, j));
        for (size_t i = 0; i < h->Nq && m > -HUGE_VAL; i++)
            l += exp(reference_score(h, i, j) - m);
        columns[j] = m + log(l);
    }
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
 * are compared, the last one among them. buffer is for dv + Nk numbers. */
static bool fits(const head *h, const mistakes *how, tile_sizes t,
                 const answer *a, double *buffer)
{
    size_t step = tiles(h->Nq, 512);
    double to_mistake = 0, to_right = 0, size = 0;

    for (size_t n = 0; n < h->Nq; n += step) {
        double *o = buffer, *s = buffer + h->dv;
        size_t i = n + step < h->Nq ? n : h->Nq - 1;

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

/* --- Rows with low scores ------------------------------------------------- */

/* Returns the relative distance of row i to the right result, or infinity if
 * the row is lost: all of it is NaN, or all is 0. */
static double distance_or_lost(const answer *a, size_t i, size_t dv)
{
    const float *got = a->plain + i * dv;
    double error = relative_error(got, a->right + i * dv, dv), size = 0;
    size_t nans = 0;

    for (size_t c = 0; c < dv; c++) {
        nans += isnan(got[c]) != 0;
        size += fabs((double)got[c]);
    }
    return nans == dv || size == 0 ? HUGE_VAL : error;
}

/* In fp32, e^s is subnormal for s below -87, and 0 below -104. True if rows
 * whose largest score is below -104 are lost, and rows above -87 are right. p is
 * a buffer for Nk numbers. */
static bool fits_low_rows(const head *h, const answer *a, double *p)
{
    size_t lost = 0;

    for (size_t i = 0; i < h->Nq; i++) {
        double m, l, error = distance_or_lost(a, i, h->dv);

        if (sees_nothing(a, i))
            continue;
        reference_weights(h, i, p, &m, &l);
        if (m < -104 ? error != HUGE_VAL : m > -87 && !(error < 1e-3))
            return false;
        lost += m < -104;
    }
    return lost > 0;
}

/* --- The mistakes --------------------------------------------------------- */

/* Sets a to head h of H heads, as if the array were (B, N, H, d). */
static void interleave(array *a, float *all, size_t b, size_t h, size_t H)
{
    a->hbm.data = all + (b * a->hbm.rows * H + h) * a->hbm.cols;
    a->hbm.stride = H * a->hbm.cols;
}

enum { BY_CAUSAL = 1, BY_MASK = 2, BY_WINDOW = 4, BY_ALL = 7 };

static int limits_of(const rule *r)
{
    return (r->causal ? BY_CAUSAL : 0) | (r->mask.hbm.data ? BY_MASK : 0) |
           (r->window ? BY_WINDOW : 0);
}

static void remove_limits(rule *r, int limits)
{
    r->causal = r->causal && !(limits & BY_CAUSAL);
    if (limits & BY_MASK)
        r->mask.hbm.data = NULL;
    if (limits & BY_WINDOW)
        r->window = 0;
}

/* Sets K and V to those of query head nth. */
static void use_keys_of(head *h, const layer *l, size_t nth)
{
    head other = head_at(l, nth);

    h->K = other.K;
    h->V = other.V;
}

/* v is the number of a variant of the mistake. Returns false if this problem
 * does not have the variant. */
static bool make_mistake(size_t k, const problem *p, size_t nth, int v, head *h,
                         answer *a, mistakes *how)
{
    const layer *l = &p->layer;
    int limits = limits_of(&h->rule);
    size_t b = nth / l->Hq, q = nth % l->Hq, group = l->Hq / l->Hk;
    long corner = (long)h->Nk - (long)h->Nq;

    switch (k) {
    case UNSCALED:
        h->scale = 1;
        return v == 0;
    case SCALED_TWICE:
        h->scale *= h->scale;
        return v == 0;
    case SCALE_INVERTED:
        h->scale = 1 / h->scale;
        return v == 0;
    case SCALE_OF_ALL_HEADS:
        h->scale /= sqrtf((float)l->Hq);
        return v == 0 && l->Hq > 1;
    case SOFTCAP_FORGOTTEN:
        h->rule.softcap = 0;
        return v == 0 && l->each.rule.softcap > 0;
    case ALIBI_FORGOTTEN:
        h->rule.slope = 0;
        return v == 0 && l->alibi;
    case SINK_FORGOTTEN:
        how->sink = NO_SINK;
        return v == 0 && p->sinks;
    case MASK_FORGOTTEN:
        remove_limits(&h->rule, v ? BY_WINDOW : BY_MASK);
        return v < 2 && limits & (v ? BY_WINDOW : BY_MASK);
    case MASK_AFTER_SOFTMAX: {
        int removed = v == 0 ? BY_ALL : v == 1 ? BY_CAUSAL : BY_MASK;

        how->sums_others = true;
        how->other = *h;
        remove_limits(&how->other.rule, removed);
        return v < 3 && limits & removed && (v == 0 || limits & ~removed);
    }
    case ZERO_SCORES:
        how->zeros = true;
        return v == 0 && limits;
    case OVER_QUERIES:
        how->over_queries = true;
        how->sink = NO_SINK;
        if (v == 0)
            sum_columns(h, how->columns);
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
        if (v == 2 || (v == 3 && h->rule.window > 1))
            h->rule.window += v == 2 ? 1 : (size_t)-1;
        if (v == 4) /* in the wrong corner, too */
            h->rule.offset = -1;
        return v < 2    ? h->rule.causal
               : v == 4 ? h->rule.causal && l->each.rule.offset
                        : l->each.rule.window;
    case CAUSAL_CORNER:
        h->rule.offset = h->rule.offset ? 0 : corner;
        return v == 0 && h->rule.causal && corner;
    case CAUSAL_TRANSPOSED:
        how->transposed = true;
        how->first = v == 0   ? h->rule.offset
                     : v == 1 ? h->rule.offset + 1
                     : v == 2 ? 0
                              : -h->rule.offset;
        remove_limits(&h->rule, BY_CAUSAL);
        return v < 4 && limits & BY_CAUSAL && (v < 2 || h->rule.offset);
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
        use_keys_of(h, l, b * l->Hq + q % l->Hk * group);
        return v == 0 && q % l->Hk != q / group;
    case KEY_HEAD_0:
        use_keys_of(h, l, v == 0 ? b * l->Hq : v == 1 ? 0 : q);
        return v < 3 && (v == 0 ? q / group > 0 : b > 0);
    case LAST_KEY:
        h->Nk -= h->Nk > 0;
        return v == 0 && h->Nk > 0;
    default:
        how->drops_keys = v == 0;
        how->drops_queries = v == 1;
        how->pads = v == 2;
        return v < 3;
    }
}

enum { VARIANTS = 5 };

int mistake_fits(size_t k, const problem *p, size_t nth, const float *got,
                 const double *right, const double *L, size_t *Bc)
{
    const layer *l = &p->layer;
    bool tiled = k == NOT_RESCALED || k == RAGGED_TILE;
    size_t given_Bc = l->each.tile.Bc, largest = max_size(given_Bc, 256);
    size_t size = l->each.dv + 2 * l->each.Nk + 1;
    double *buffer = malloc(size * sizeof *buffer), sink = sink_of(p, nth);
    double *s = buffer ? buffer + l->each.dv : NULL;
    int found = buffer ? 0 : -1;

    *Bc = 0;
    for (int v = 0; v < VARIANTS && found == 0; v++)
        for (size_t t = given_Bc ? given_Bc : 1; t <= largest && found == 0;
             t = t == 1 ? 16 : 2 * t) {
            head h = head_at(l, nth);
            const float *plain = got + nth * h.Nq * h.dv;
            answer a = {plain, plain, h.dv, right, L};
            mistakes how = {.times = 1, .sink = sink, .columns = s + h.Nk};
            tile_sizes rows = {l->each.tile.Br ? l->each.tile.Br : t, t};

            if (k == UNSEEN_ROWS)
                found = v == 0 && fits_unseen_rows(&h, &a, buffer);
            else if (k == LOW_ROWS)
                found = v == 0 && sink == NO_SINK && fits_low_rows(&h, &a, s);
            else if (make_mistake(k, p, nth, v, &h, &a, &how))
                found = fits(&h, &how, rows, &a, buffer);
            *Bc = found > 0 && tiled ? t : 0;
            if (!tiled || given_Bc)
                break;
        }
    free(buffer);
    return found;
}

/* --- L -------------------------------------------------------------------- */

/* True if L of a row that sees no key is not -inf, and other rows are right. */
static bool fits_unseen_lse(const head *h, const float *got, double *p)
{
    size_t wrong = 0;

    for (size_t i = 0; i < h->Nq; i++) {
        double m, l, L;

        reference_weights(h, i, p, &m, &l);
        L = m + log(l);
        if (L == -HUGE_VAL)
            wrong += got[i] != -INFINITY;
        else if (!(fabs((double)got[i] - L) <= 1e-3 * fmax(1, fabs(L))))
            return false;
    }
    return wrong > 0;
}

int lse_mistake_fits(size_t k, const head *h, double sink, const float *got)
{
    size_t step = tiles(h->Nq, 512);
    double *p = malloc((h->Nk + 1) * sizeof *p);
    double to_mistake = 0, to_right = 0, size = 0;
    bool unseen;

    if (!p)
        return -1;
    if (k == L_OF_UNSEEN_ROWS) {
        unseen = sink == NO_SINK && fits_unseen_lse(h, got, p);
        free(p);
        return unseen;
    }
    for (size_t i = 0; i < h->Nq; i += step) {
        double m, l, L, wrong, off;

        reference_weights(h, i, p, &m, &l);
        L = lse_with_sink(m + log(l), sink);
        m = fmax(m, sink);
        wrong = k == L_BASE_2       ? L / log(2)
                : k == L_TIMES_LN_2 ? L * log(2)
                : k == L_WITHOUT_M  ? L - m
                : k == L_DOUBLED    ? 2 * L
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

/* Computes dQ, dK and dV of a head as reference_gradients does, with a mistake in
 * dS or in a product with it. Returns 1, 0 or -1 as mistaken_gradients does. */
static int mistaken_products(size_t k, const gradients *g, double sink, int v,
                             double *const grads[3])
{
    const head *h = &g->h;
    bool transposed = k != DS_NOT_TRANSPOSED;
    double scale = (double)h->scale, *p;
    const double of_Q = k == DS_UNSCALED && v != 2 ? 1 / scale : 1;
    const double of_K = k == DS_UNSCALED && v != 1 ? 1 / scale : 1;

    if (v > (k == DS_UNSCALED ? 2
             : transposed     ? 0
                              : 1) ||
        (!transposed && h->Nq != h->Nk))
        return 0;
    p = malloc((2 * h->Nk + 1) * sizeof *p);
    if (!p)
        return -1;
    memset(grads[0], 0, h->Nq * h->d * sizeof **grads);
    if (!g->add) {
        memset(grads[1], 0, h->Nk * h->d * sizeof **grads);
        memset(grads[2], 0, h->Nk * h->dv * sizeof **grads);
    }
    for (size_t i = 0; i < h->Nq; i++) {
        double *ds = p + h->Nk;

        reference_gradient_row(g, i, sink, k != DS_WITHOUT_D, p, ds);
        for (size_t j = 0; j < h->Nk; j++) {
            size_t of = transposed ? j : i, with = transposed ? i : j;
            bool late = !transposed && v == 1;

            if (p[j] == 0)
                continue;
            for (size_t c = 0; c < h->d; c++) {
                grads[0][i * h->d + c] +=
                    of_Q * ds[j] * (double)row(h->K.hbm, j)[c];
                grads[1][of * h->d + c] +=
                    of_K * ds[j] * (double)row(h->Q.hbm, with)[c];
            }
            for (size_t c = 0; c < h->dv; c++)
                grads[2][(late ? i : j) * h->dv + c] +=
                    p[j] * (double)row(g->dO.hbm, late ? j : i)[c];
        }
    }
    free(p);
    return 1;
}

/* Computes dQ, dK and dV for the n query heads from `first` that share a key
 * head. For HEADS_NOT_SUMMED, dK and dV of each head replace the previous ones.
 * Returns 1, or 0 if this variant does not exist, or -1 without memory. */
static int mistaken_gradients(size_t k, const backward_problem *b, size_t first,
                              size_t n, int v, double *const grads[3])
{
    const head *each = &b->forward.layer.each;
    bool unsummed = k == HEADS_NOT_SUMMED, swapped = k == DK_DV_SWAPPED;
    bool products =
        k == DS_WITHOUT_D || k == DS_UNSCALED || k == DS_NOT_TRANSPOSED;
    int made = 1;

    if ((unsummed && (n < 2 || v > 1)) ||
        (swapped && (v > 0 || each->d != each->dv)))
        return 0;
    for (size_t q = 0; q < n && made > 0; q++) {
        size_t nth = unsummed && v ? n - 1 - q : q;
        gradients g = gradients_at(b, first + nth);
        answer a = {NULL, NULL, 0, NULL, NULL};
        double sink = sink_of(&b->forward, first + nth);
        mistakes how = {.times = 1, .sink = sink};
        double *const of_head[] = {grads[0] + nth * each->Nq * each->d,
                                   grads[swapped ? 2 : 1],
                                   grads[swapped ? 1 : 2]};

        g.add = q > 0 && !unsummed;
        if (products)
            made = mistaken_products(k, &g, sink, v, of_head);
        else if (!unsummed && !swapped &&
                 !make_mistake(k, &b->forward, first + nth, v, &g.h, &a, &how))
            made = 0;
        else if (reference_gradients(&g, how.sink, of_head[0], of_head[1],
                                     of_head[2]) < 0)
            made = -1;
    }
    return made;
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
        bool differs = false;

        found = mistaken_gradients(k, b, first, n, v, wrong);
        for (int a = 0; a < 3 && found > 0; a++) {
            double off = relative_error(got[a], wrong[a], sizes[a]);
            double error = relative_error(got[a], right[a], sizes[a]);

            found =
                !given[a] || off <= limit || (off <= error / 10 && off <= 0.01);
            differs = differs || (given[a] && !(error <= limit));
        }
        found = found > 0 ? differs : found;
    }
    free(buffer);
    return found;
}
