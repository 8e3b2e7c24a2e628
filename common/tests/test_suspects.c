/*
 * Each of the common mistakes, made here on purpose, is told from all others;
 * what is right, or noise, is none of them.
 */
#include "common/judge/suspects.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/judge/reference_attention.h"
#include "common/lesson/random.h"
#include "common/testing/claims.h"

enum { B = 2, HQ = 4, HK = 2, NQ = 37, NK = 50, D = 16, BC = 16 };
enum { Q_SIZE = B * HQ * NQ * D, K_SIZE = B * HK * NK * D };

static float Q[Q_SIZE], K[K_SIZE], V[K_SIZE], O[Q_SIZE], L[B * HQ * NQ];
static double right[NQ * D], wrong[NQ * D];

/* All heads, with a causal limit; no head's first queries see no key. */
static layer make_layer(void)
{
    random_source r = random_seed(34);
    layer l = {.B = B, .Hq = HQ, .Hk = HK, .mask_B = 1, .mask_H = 1};

    random_fill(&r, Q, Q_SIZE, 2);
    random_fill(&r, K, K_SIZE, 1);
    random_fill(&r, V, K_SIZE, 1);
    l.each = (head){.Nq = NQ,
                    .Nk = NK,
                    .d = D,
                    .dv = D,
                    .scale = 0.25f,
                    .rule = {.causal = true, .offset = NK - NQ}};
    layer_give(&l, Q, K, V, O, L);
    return l;
}

/* Row i by tiles, without alpha (of o and l, or of o alone) or the division. */
static void forgetful_row(const head *h, size_t i, bool keeps_l, bool divides,
                          double *o)
{
    double m = -(double)INFINITY, l = 0;

    memset(o, 0, D * sizeof *o);
    for (size_t j = 0; j < NK; j++) {
        double s = reference_score(h, i, j), before = m;

        for (size_t k = j; j % BC == 0 && k < min_size(j + BC, NK); k++)
            m = fmax(m, reference_score(h, i, k));
        l *= keeps_l ? 1 : exp(before - m);
        l += exp(s - m);
        for (size_t c = 0; c < D; c++) {
            o[c] *= divides ? 1 : exp(before - m);
            o[c] += exp(s - m) * (double)row(h->V.hbm, j)[c];
        }
    }
    for (size_t c = 0; c < D && divides; c++)
        o[c] /= l;
}

/* Into `wrong` head nth by the mistake; false: it is made when all are there. */
static void make(const char *mistake, const layer *l, size_t nth)
{
    static const float ln_14 = 2.6390573f;
    head h = head_at(l, nth);
    size_t b = nth / HQ, q = nth % HQ;
    bool forgets = strcmp(mistake, "not-rescaled") == 0;

    if (strcmp(mistake, "unscaled") == 0)
        h.scale = 1;
    if (strcmp(mistake, "scaled-twice") == 0)
        h.scale = 0.0625f;
    if (strcmp(mistake, "mask-off-by-one") == 0)
        h.rule.offset--;
    if (strcmp(mistake, "causal-corner") == 0)
        h.rule.offset = 0;
    if (strcmp(mistake, "swapped-k-v") == 0) {
        h.K = h.V;
        h.V = head_at(l, nth).K;
    }
    if (strcmp(mistake, "gqa-modulo") == 0) {
        h.K = head_at(l, b * HQ + q % HK * (HQ / HK)).K;
        h.V = head_at(l, b * HQ + q % HK * (HQ / HK)).V;
    }
    if (strcmp(mistake, "ragged-tile") == 0)
        h.Nk = NK / BC * BC;
    if (strcmp(mistake, "padded") == 0) /* 14 keys of score 0 and value 0 */
        h.rule.sink = &ln_14;
    reference_attention(&h, wrong, NULL);
    if (strcmp(mistake, "last queries left out") == 0)
        memset(wrong + NQ / BC * BC * D, 0, NQ % BC * D * sizeof *wrong);
    for (size_t i = 0; i < NQ && (forgets || !strcmp(mistake, "not-divided"));
         i++)
        forgetful_row(&h, i, nth % 2, forgets, wrong + i * D);
}

/* Somebody's O: of all heads by the mistake; or of one who has them in rows. */
static void make_all(const char *mistake, const layer *l)
{
    bool rows = strcmp(mistake, "heads-interleaved") == 0;
    random_source r = random_seed(7);

    for (size_t nth = 0; nth < B * HQ; nth++) {
        make(mistake, l, nth);
        for (size_t n = 0; n < NQ * D; n++) {
            size_t i = n / D, at = nth * NQ * D + n;

            if (rows)
                at = ((nth / HQ * NQ + i) * HQ + nth % HQ) * D + n % D;
            O[at] = (float)wrong[n];
        }
    }
    if (strcmp(mistake, "noise") == 0)
        random_fill(&r, O, Q_SIZE, 1);
    if (strcmp(mistake, "zeros") == 0)
        memset(O, 0, sizeof O);
}

typedef struct {
    const char *claim, *mistake, *says;
} entry;

/* Of head 1, whose key head a modulo would change. */
static void check_layer(const entry *e, layer l)
{
    head h = head_at(&l, 1);

    make_all(e->mistake, &l);
    assert_int_equal(reference_attention(&h, right, NULL), 0);
    for (size_t k = 0; k < SUSPECTS; k++) {
        size_t Bc = 99;
        int fits = suspect_fits(k, &l, 1, O, right, &Bc);

        if (fits != (strcmp(suspects[k].name, e->says) == 0))
            fail_msg("%s: %s fits: %d", e->mistake, suspects[k].name, fits);
        if (fits && strcmp(e->says, "not-rescaled") == 0)
            assert_int_equal(Bc, BC);
    }
}

static void check_entry(const void *row)
{
    check_layer(row, make_layer());
}

TEST(a_tile_may_be_of_keys_alone_or_longer_than_memory)
{
    layer l = make_layer();

    l.each.tile = (tile_sizes){0, BC};
    check_layer(&(entry){"", "ragged-tile", "ragged-tile"}, l);
    check_layer(&(entry){"", "unscaled", "unscaled"}, l);
    l.each.tile = (tile_sizes){1, SIZE_MAX / sizeof(double) + 1};
    check_layer(&(entry){"", "unscaled", "unscaled"}, l);
}

TEST(a_sink_changes_no_verdict)
{
    static const float sinks[HQ] = {1, 2, 1, 2};
    layer l = make_layer();

    l.each.rule.sink = sinks;
    check_layer(&(entry){"", "unscaled", "unscaled"}, l);
    check_layer(&(entry){"", "ragged-tile", "ragged-tile"}, l);
    check_layer(&(entry){"", "none", "none"}, l);
}

int main(void)
{
    static const entry entries[] = {
        {"each_mistake_is_told_from_the_others", "unscaled", "unscaled"},
        {SAME_CLAIM, "scaled-twice", "scaled-twice"},
        {SAME_CLAIM, "not-rescaled", "not-rescaled"},
        {SAME_CLAIM, "not-divided", "not-divided"},
        {SAME_CLAIM, "mask-off-by-one", "mask-off-by-one"},
        {SAME_CLAIM, "causal-corner", "causal-corner"},
        {SAME_CLAIM, "swapped-k-v", "swapped-k-v"},
        {SAME_CLAIM, "heads-interleaved", "heads-interleaved"},
        {SAME_CLAIM, "gqa-modulo", "gqa-modulo"},
        {SAME_CLAIM, "ragged-tile", "ragged-tile"},
        {SAME_CLAIM, "padded", "ragged-tile"},
        {SAME_CLAIM, "last queries left out", "ragged-tile"},
        {"what_is_right_is_none_of_them", "none", "none"},
        {"noise_is_none_of_them", "noise", "none"},
        {"what_nobody_has_written_is_none_of_them", "zeros", "none"},
    };

    return run_claims("suspects", check_entry, entries);
}
