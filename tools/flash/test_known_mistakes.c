/*
 * Tests that the result of each common mistake matches only this mistake, and
 * that a right output matches none.
 */
#include "tools/flash/judge_errors.h"
#include "tools/flash/known_mistakes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/judge/reference_attention.h"
#include "common/judge/reference_gradients.h"
#include "common/data/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"

enum { B = 2, HQ = 4, HK = 2, NQ = 37, NK = 50, D = 16, BC = 16 };
enum { Q_SIZE = B * HQ * NQ * D, K_SIZE = B * HK * NK * D };

static float Q[Q_SIZE], K[K_SIZE], V[K_SIZE], O[Q_SIZE], L[B * HQ * NQ];
static double right[NQ * D], right_L[NQ], wrong[NQ * D];

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

/* If divides, does not multiply o by alpha (nor l, if keeps_l). Otherwise does
 * not divide o by l. */
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

/* For exp2-without-log2e even heads compute 2^s, odd heads e^(s log2(e)). */
static float base_of(size_t nth)
{
    return nth % 2 ? 1 / logf(2) : logf(2);
}

static const float *sinks;

static void attend(const head *h, double sink, double *o, double *lse)
{
    assert_int_equal(reference_attention(h, o, lse), 0);
    reference_add_sink(sink, NQ, D, o, lse);
}

static void make(const char *mistake, const layer *l, size_t nth)
{
    const double ln_14 = 2.6390573;
    double sink = sinks ? (double)sinks[nth % HQ] : NO_SINK, wrong_L[NQ];
    head h = head_at(l, nth);
    size_t b = nth / HQ, q = nth % HQ;
    bool forgets = strcmp(mistake, "not-rescaled") == 0;

    if (strcmp(mistake, "unscaled") == 0)
        h.scale = 1;
    if (strcmp(mistake, "scaled-twice") == 0)
        h.scale = 0.0625f;
    if (strcmp(mistake, "exp2-without-log2e") == 0)
        h.scale *= base_of(nth);
    if (strcmp(mistake, "half-of-d") == 0)
        h.d /= 2;
    if (strcmp(mistake, "half-of-d, scaled") == 0) {
        h.d /= 2;
        h.scale *= sqrtf(2);
    }
    if (strcmp(mistake, "causal-forgotten") == 0)
        h.rule.causal = !h.rule.causal;
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
        sink = ln_14;
    attend(&h, sink, wrong, wrong_L);
    if (strcmp(mistake, "last queries left out") == 0)
        memset(wrong + NQ / BC * BC * D, 0, NQ % BC * D * sizeof *wrong);
    for (size_t i = 0; i < NQ && (forgets || !strcmp(mistake, "not-divided"));
         i++)
        forgetful_row(&h, i, nth % 2, forgets, wrong + i * D);
}

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
    const char *test, *mistake;
    const char *match; /* the mistake that must match */
} entry;

/* Only e->match may match head 1, whose key head gqa-modulo changes. */
static void check_output(const entry *e, const layer *l, const head *h)
{
    const problem p = {.layer = *l, .sinks = sinks};

    attend(h, sink_of(&p, 1), right, right_L);
    for (size_t k = 0; k < KNOWN_MISTAKES; k++) {
        size_t Bc = 99;
        int fits = 0;

        if (!(known_mistakes[k].of & OF_O))
            continue;
        fits = mistake_fits(k, &p, 1, O, right, right_L, &Bc);
        if (fits != (strcmp(known_mistakes[k].name, e->match) == 0))
            fail_msg("%s: %s fits: %d", e->mistake, known_mistakes[k].name,
                     fits);
        if (fits && strcmp(e->match, "not-rescaled") == 0)
            assert_int_equal(Bc, BC);
    }
}

static void check_layer(const entry *e, layer l)
{
    head h = head_at(&l, 1);

    make_all(e->mistake, &l);
    check_output(e, &l, &h);
}

static void check_entry(const void *row)
{
    check_layer(row, make_layer());
}

TEST(tiles_may_have_no_Br_or_a_Bc_larger_than_memory)
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
    static const float some[HQ] = {1, 2, 1, 2};
    layer l = make_layer();

    sinks = some;
    check_layer(&(entry){"", "unscaled", "unscaled"}, l);
    check_layer(&(entry){"", "ragged-tile", "ragged-tile"}, l);
    check_layer(&(entry){"", "none", "none"}, l);
    sinks = NULL;
}

/* --- Rows that see no key ------------------------------------------------- */

/* The first three queries see no key. */
static layer layer_with_unseen_rows(void)
{
    layer l = make_layer();

    l.each.rule.offset = -3;
    return l;
}

static void spoil_row(const layer *l, size_t i, bool mean)
{
    head h = head_at(l, 1);

    for (size_t c = 0; c < D; c++) {
        double sum = 0;

        for (size_t j = 0; j < NK; j++)
            sum += (double)row(h.V.hbm, j)[c];
        row(h.O.hbm, i)[c] = mean ? (float)(sum / (double)NK) : NAN;
    }
}

TEST(nan_or_the_mean_of_V_in_rows_that_see_no_key_is_named)
{
    layer l = layer_with_unseen_rows();
    head h = head_at(&l, 1);

    for (int mean = 0; mean < 2; mean++) {
        make_all("none", &l);
        spoil_row(&l, 0, mean);
        spoil_row(&l, 2, mean);
        check_output(&(entry){"", "none", "unseen-rows"}, &l, &h);
        spoil_row(&l, 20, false);
        check_output(&(entry){"", "none", "none"}, &l, &h);
    }
    make_all("none", &l);
    row(h.O.hbm, 1)[3] = 0.5f; /* neither NaN nor the mean */
    check_output(&(entry){"", "none", "none"}, &l, &h);
    row(h.O.hbm, 1)[3] = NAN; /* only one element */
    check_output(&(entry){"", "none", "none"}, &l, &h);
}

/* If the causal limit is off by one, query 0 sees no key. */
TEST(rows_that_see_no_key_do_not_hide_another_mistake)
{
    layer l = make_layer();
    head h;

    l.each.rule.offset = 0;
    h = head_at(&l, 1);
    make_all("mask-off-by-one", &l);
    check_output(&(entry){"", "", "mask-off-by-one"}, &l, &h);
    spoil_row(&l, 0, false);
    check_output(&(entry){"", "", "mask-off-by-one"}, &l, &h);

    l = layer_with_unseen_rows();
    h = head_at(&l, 1);
    make_all("unscaled", &l);
    for (size_t c = 0; c < D; c++)
        row(h.O.hbm, 1)[c] = 7;
    check_output(&(entry){"", "", "unscaled"}, &l, &h);
    make_all("causal-corner", &l);
    spoil_row(&l, 0, false);
    check_output(&(entry){"", "", "causal-corner"}, &l, &h);
}

/* --- L -------------------------------------------------------------------- */

static float mistaken_L(size_t k, double m, double l)
{
    const double lse = m + log(l);
    const double all[] = {lse / log(2), lse * log(2), log(l), m,
                          2 * lse,      lse * 1.1,    lse};

    return (float)all[k];
}

/* Query 1 sees no key. */
TEST(each_mistake_in_L_is_named)
{
    static const char *const names[] = {
        "l-base-2",  "l-times-ln-2", "l-without-m",      "m-without-ln-l",
        "l-doubled", "noise",        "l-of-unseen-rows",
    };
    const float unseen[] = {NAN, 0, -INFINITY};
    layer l = layer_with_unseen_rows();
    head h = head_at(&l, 1);
    double p[NK], m, sum;

    assert_int_equal(mistakes_of(OF_L), 6);
    for (size_t made = 0; made < sizeof names / sizeof *names; made++)
        for (size_t u = 0; u < 3; u++) {
            const char *want = made == 6 && u == 2 ? "none" : names[made];

            for (size_t i = 0; i < NQ; i++) {
                reference_weights(&h, i, p, &m, &sum);
                row(h.L.hbm, i)[0] = mistaken_L(made, m, sum);
            }
            row(h.L.hbm, 1)[0] = unseen[u];
            for (size_t k = 0; k < KNOWN_MISTAKES; k++)
                if (known_mistakes[k].of & OF_L)
                    assert_int_equal(
                        lse_mistake_fits(k, &h, NO_SINK, h.L.hbm.data),
                        !strcmp(known_mistakes[k].name, want));
        }
}

/* --- Gradients ------------------------------------------------------------ */

static void make_gradients(backward_problem *b, const char *mistake, layer l)
{
    double dQ[NQ * D], dK[NK * D], dV[NK * D];
    bool first = strcmp(mistake, "heads-not-summed, the first") == 0;
    bool last = strcmp(mistake, "heads-not-summed") == 0;
    backward_problem made = *b;

    if (strcmp(mistake, "causal-forgotten") == 0)
        l.each.rule.causal = false;
    if (strcmp(mistake, "mask-off-by-one") == 0)
        l.each.rule.offset--;
    if (strcmp(mistake, "causal-corner") == 0)
        l.each.rule.offset = 0;
    if (strcmp(mistake, "unscaled") == 0)
        l.each.scale = 1;
    if (strcmp(mistake, "scaled-twice") == 0)
        l.each.scale *= l.each.scale;
    made.forward.layer = l;
    for (size_t nth = 0; nth < B * HQ; nth++) {
        gradients g = gradients_at(&made, nth);
        bool keeps = first && g.add;

        g.add = g.add && !last;
        assert_true(reference_gradients(&g, NO_SINK, dQ, dK, dV) >= 0);
        for (size_t k = 0; k < NQ * D; k++)
            g.dQ.hbm.data[k] = (float)dQ[k];
        for (size_t k = 0; k < NK * D && !keeps; k++) {
            g.dK.hbm.data[k] = (float)dK[k];
            g.dV.hbm.data[k] = (float)dV[k];
        }
    }
}

static void check_gradients(const char *mistake, const char *match)
{
    static const bool given[][3] = {{true, true, true}, {false, true, false}};
    const size_t O_shape[] = {B, HQ, NQ, D}, K_shape[] = {B, HK, NK, D};
    backward_problem b = {.forward = {.layer = make_layer()}};

    assert_false(npy_new(&b.forward.Q, 4, O_shape) ||
                 npy_new(&b.forward.K, 4, K_shape) ||
                 npy_new(&b.forward.V, 4, K_shape) ||
                 npy_new(&b.forward.O, 4, O_shape) ||
                 backward_problem_set_up(&b));
    problem_gradient_errors(&b); /* computes the gradients in float64 */
    make_gradients(&b, mistake, b.forward.layer);
    for (size_t k = 0; k < KNOWN_MISTAKES; k++)
        for (size_t n = 0; n < 2 && known_mistakes[k].of & OF_GRADIENTS; n++) {
            int fits = gradient_mistake_fits(k, &b, HQ + 2, given[n], 1e-5);

            if (fits != (strcmp(known_mistakes[k].name, match) == 0))
                fail_msg("%s: %s fits: %d", mistake, known_mistakes[k].name,
                         fits);
        }
    backward_free(&b);
}

TEST(each_mistake_in_gradients_is_named)
{
    check_gradients("causal-forgotten", "causal-forgotten");
    check_gradients("heads-not-summed", "heads-not-summed");
    check_gradients("heads-not-summed, the first", "heads-not-summed");
    check_gradients("mask-off-by-one", "mask-off-by-one");
    check_gradients("causal-corner", "causal-corner");
    check_gradients("unscaled", "unscaled");
    check_gradients("scaled-twice", "scaled-twice");
}

int main(void)
{
    static const entry entries[] = {
        {"each_mistake_is_named_and_no_other", "unscaled", "unscaled"},
        {SAME_TEST, "scaled-twice", "scaled-twice"},
        {SAME_TEST, "exp2-without-log2e", "exp2-without-log2e"},
        {SAME_TEST, "half-of-d", "half-of-d"},
        {SAME_TEST, "half-of-d, scaled", "half-of-d"},
        {SAME_TEST, "causal-forgotten", "causal-forgotten"},
        {SAME_TEST, "not-rescaled", "not-rescaled"},
        {SAME_TEST, "not-divided", "not-divided"},
        {SAME_TEST, "mask-off-by-one", "mask-off-by-one"},
        {SAME_TEST, "causal-corner", "causal-corner"},
        {SAME_TEST, "swapped-k-v", "swapped-k-v"},
        {SAME_TEST, "heads-interleaved", "heads-interleaved"},
        {SAME_TEST, "gqa-modulo", "gqa-modulo"},
        {SAME_TEST, "ragged-tile", "ragged-tile"},
        {SAME_TEST, "padded", "ragged-tile"},
        {SAME_TEST, "last queries left out", "ragged-tile"},
        {"a_right_output_is_none_of_them", "none", "none"},
        {"noise_is_none_of_them", "noise", "none"},
        {"an_output_of_zeros_is_none_of_them", "zeros", "none"},
    };

    return run_table("known_mistakes", check_entry, entries);
}

/* --- The errors of the judge --------------------------------------------- */

TEST(an_error_of_L_is_absolute_below_1)
{
    const double inf = HUGE_VAL;

    assert_close(error_of_lse((float[]){1e-7f}, (double[]){0}, 1), 1e-7, 1e-12);
    assert_close(error_of_lse((float[]){3, 4.5f}, (double[]){3, 4}, 2),
                 0.125 / sqrt(2), 1e-15);
    assert_close(
        error_of_lse((float[]){-INFINITY, 0.5f}, (double[]){-inf, 0}, 2),
        0.5 / sqrt(2), 1e-15);
    assert_true(isinf(error_of_lse((float[]){1}, (double[]){-inf}, 1)));
    assert_true(isnan(error_of_lse((float[]){NAN}, (double[]){0}, 1)));
}

/* The error of row 0 is as large as its norm, but smaller than the limit. */
TEST(the_first_wrong_row_is_wrong_by_itself)
{
    const double want[] = {1e-3, 0, 100, 0, 100, 0, 100, 0};
    float got[] = {2e-3f, 0, 100, 0, 100, 0, 100, 0};

    got[4] = 101;
    assert_int_equal(first_wrong_row(got, want, 4, 2, 0.5), 2);
    got[7] = NAN;
    assert_int_equal(first_wrong_row(got, want, 4, 2, 0.5), 2);
    got[4] = 100;
    assert_int_equal(first_wrong_row(got, want, 4, 2, 0.5), 3);
    /* No single row exceeds the limit, but the whole array does. */
    got[7] = 0.3f;
    got[4] = 100.4f;
    assert_int_equal(first_wrong_row(got, want, 4, 2, 0.5), 2);
}
