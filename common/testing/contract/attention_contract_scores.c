/* Tests of scale, softcap, and flat and peaked rows. */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

enum { NQ = 9, NK = 37 };

/* With a scale of 0, O is the mean of V. With a large scale, O is the value of
 * the key with the largest score. */
static void any_scale_is_right(attention_case *c, size_t k)
{
    const float scales[] = {0, -0.5f, 8192, -8192};

    c->h.scale = scales[k];
}

static void a_tiny_scale_gives_the_mean(attention_case *c, size_t k)
{
    c->h.scale = 0x1p-140f;
}

static void a_softcap_bends_the_scores(attention_case *c, size_t k)
{
    const float softcaps[] = {0.5f, 2, 20, 1000};

    c->h.rule.softcap = softcaps[k];
}

/* The order is scale, softcap, mask: a mask is not capped. */
static void a_mask_comes_after_the_softcap(attention_case *c, size_t k)
{
    case_mask(c);
    c->h.rule.softcap = 2;
    for (size_t i = 0; i < NQ; i++)
        for (size_t j = 0; j < NK; j++)
            mask_of(c, i)[j] = j % 3 ? (float)(j % 5) * 3 : -INFINITY;
}

/* With softcap c, scores of inf and -inf become c and -c. So all keys are
 * attended, except those that a mask or a limit excludes. */
static void a_softcap_makes_infinite_scores_finite(attention_case *c, size_t k)
{
    c->h.rule.softcap = 4;
    c->exact = false;
    for (size_t j = 0; j < NK; j++)
        case_score(c, j,
                   k == 0  ? j % 4 ? (float)(j % 7) : INFINITY
                   : j % 4 ? INFINITY
                           : -INFINITY);
}

static void a_softcap_of_a_nan_is_nan(attention_case *c, size_t k)
{
    c->h.rule.softcap = 4;
    c->exact = false;
    fill(c->h.K.hbm, 1);
    *q_of(c, 1) = NAN;
}

/* In the backward pass the score is c or -c, and the derivative of the softcap
 * is 0. So dZ is 0. But q or k is infinite, and 0 times inf is NaN. Only a
 * weight of 0 excludes the key. */
static void an_infinite_key_with_a_softcap_gives_nan(attention_case *c,
                                                     size_t k)
{
    a_mask_comes_after_the_softcap(c, 0);
    k_of(c, 22)[0] = INFINITY;
    q_of(c, 7)[0] = -INFINITY;
    mask_of(c, 4)[22] = -INFINITY;
}

static void equal_scores_give_the_mean(attention_case *c, size_t k)
{
    const float scores[] = {0, 3.25f, -70, 1e6f};

    fill(c->h.K.hbm, scores[k]);
}

static void any_key_may_dominate(attention_case *c, size_t k)
{
    for (size_t j = 0; j < NK; j++) {
        case_score(c, j, j == 4 * k ? 100 : (float)(j % 7));
        v_of(c, j)[0] = (float)j;
        v_of(c, j)[1] = -(float)j;
    }
}

/* For k = 0 the maximum grows at every key, so each tile rescales the sums of
 * the tiles before it. For k = 1 scores fall. */
static void rising_and_falling_scores_are_right(attention_case *c, size_t k)
{
    for (size_t j = 0; j < c->h.Nk; j++)
        case_score(c, j, (float)j / (k == 0 ? 4 : -4));
}

/* If all values are equal, O is that value, because the weights add up to 1. An
 * error of a score does not change O: it moves weight between equal values. */
static void constant_values_stay_unchanged(const attention_step *s)
{
    const float v[] = {1, -3.5f, 1024, 0};

    for (size_t k = 0; k < sizeof v / sizeof v[0]; k++) {
        auto_case c = case_of(NQ, NK, 4, 3);

        case_random(&c, 34);
        case_same_values(&c, v[k]);
        case_expect(&c, s);
        c.O_tolerance = fmin(c.O_tolerance, 1.2e-6 * fabs((double)v[k]));
        check_runs(s, &c, six_sizes);
    }
}

/* The terms of a sum nearly cancel, so the error of O is about t max|V|, which
 * is much larger than t |O|. Rows are flat for k = 0 and peaked for k = 1. */
static void values_of_alternating_sign_cancel(attention_case *c, size_t k)
{
    if (k == 0)
        fill(c->h.K.hbm, 0);
    for (size_t j = 0; j < c->h.Nk; j++)
        v_of(c, j)[0] = v_of(c, j)[1] = j % 2 ? 1024 : -1024;
}

const attention_test score_tests[] = {
    {PROBLEMS(any_scale_is_right, 4)},
    {PROBLEMS(a_tiny_scale_gives_the_mean, 1), .needs = FORWARD_ALONE},
    {PROBLEMS_OF(a_softcap_bends_the_scores, 4, case_random, NQ, NK, 8, 3),
     .needs = SOFTCAPS, .causal_too = true},
    {PROBLEMS_OF(a_mask_comes_after_the_softcap, 1, case_random, NQ, NK, 8, 3),
     .needs = SOFTCAPS | MASKS},
    {OF_SCORES(a_softcap_makes_infinite_scores_finite, 2),
     .needs = SOFTCAPS | WEIGHTS_AGAIN},
    {OF_SCORES(a_softcap_of_a_nan_is_nan, 1), .needs = SOFTCAPS},
    {PROBLEMS_OF(an_infinite_key_with_a_softcap_gives_nan, 1, case_random, NQ,
                 NK, 8, 3),
     .needs = BACKWARD_ALONE | WEIGHTS_AGAIN},
    {OF_SCORES(equal_scores_give_the_mean, 4)},
    {OF_SCORES(any_key_may_dominate, 10), .needs = FORWARD_ALONE},
    {PROBLEMS_OF(rising_and_falling_scores_are_right, 2, case_scores, 3, 200, 1,
                 2)},
    {CHECK(constant_values_stay_unchanged), .needs = FORWARD_ALONE},
    {PROBLEMS_OF(values_of_alternating_sign_cancel, 2, case_exact, NQ, 200, 4,
                 2)},
    {0},
};
