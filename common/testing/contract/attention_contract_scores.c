/*
 * Claims of attention_contract.h: what is made of the scores. Any scale, a
 * softcap, rows that are flat and rows with one peak; and values of which the
 * mean is known.
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

#include "common/testing/assert_close.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define NQ 9
#define NK 37

/* --- Scale ---------------------------------------------------------------- */

static void check_scale(const attention_subject *s, float scale)
{
    attention_case c = case_of(NQ, NK, 4, 3);

    case_exact(&c, 31);
    c.h.scale = scale;
    check_tiled(s, &c);
    case_free(&c);
}

static void a_scale_of_zero_gives_the_mean(void **subject)
{
    check_scale(*subject, 0);
}

static void a_negative_scale_turns_the_scores_over(void **subject)
{
    check_scale(*subject, -0.5f);
}

static void a_large_scale_gives_the_value_of_the_best_key(void **subject)
{
    check_scale(*subject, 8192);
    check_scale(*subject, -8192);
}

static void a_tiny_scale_gives_the_mean(void **subject)
{
    check_scale(*subject, 0x1p-140f);
}

/* --- Softcap -------------------------------------------------------------- */

static void check_softcap(const attention_subject *s, float softcap,
                          bool causal)
{
    attention_case c = case_of(NQ, NK, 8, 3);

    case_random(&c, 32);
    c.h.softcap = softcap;
    if (causal)
        case_causal(&c, NK - NQ);
    check_tiled(s, &c);
    case_free(&c);
}

static void a_softcap_bends_the_scores(void **subject)
{
    const float softcaps[] = {0.5f, 2, 20, 1000};

    for (size_t k = 0; k < COUNT(softcaps); k++) {
        check_softcap(*subject, softcaps[k], false);
        check_softcap(*subject, softcaps[k], true);
    }
}

/* The order is scale, softcap, mask: a mask is not capped. */
static void a_mask_comes_after_the_softcap(void **subject)
{
    attention_case c = case_of(NQ, NK, 8, 3);

    case_random(&c, 33);
    case_mask(&c);
    c.h.softcap = 2;
    for (size_t i = 0; i < NQ; i++)
        for (size_t j = 0; j < NK; j++)
            mask_of(&c, i)[j] = j % 3 ? (float)(j % 5) * 3 : -INFINITY;
    check_tiled(*subject, &c);
    case_free(&c);
}

/* c tanh(inf / c) is c: a finite score among others. And -inf is -c, so it
 * is attended; a key is left out by a mask or a limit, not by its score. */
static void a_softcap_makes_infinite_scores_finite(void **subject)
{
    attention_case c = case_of_scores(3, NK, 2);

    c.h.softcap = 4;
    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, j % 4 ? (float)(j % 7) : INFINITY);
    c.exact = false;
    check_tiled(*subject, &c);
    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, j % 4 ? INFINITY : -INFINITY);
    check_tiled(*subject, &c);
    case_free(&c);
}

static void a_softcap_passes_a_nan_on(void **subject)
{
    attention_case c = case_of_scores(3, NK, 2);

    c.h.softcap = 4;
    fill(c.h.K.hbm, 1);
    *q_of(&c, 1) = NAN;
    c.exact = false;
    check_tiled(*subject, &c);
    case_free(&c);
}

/* --- Flat and peaked ------------------------------------------------------ */

static void equal_scores_give_the_mean(void **subject)
{
    const float scores[] = {0, 3.25f, -70, 1e6f};

    for (size_t k = 0; k < COUNT(scores); k++) {
        attention_case c = case_of_scores(3, NK, 5);

        fill(c.h.K.hbm, scores[k]);
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* O is the value of the key at the peak: V tells one key from another. */
static void check_peak(const attention_subject *s, size_t peak)
{
    attention_case c = case_of_scores(3, NK, 2);

    for (size_t j = 0; j < NK; j++) {
        case_score(&c, j, j == peak ? 100 : (float)(j % 7));
        v_of(&c, j)[0] = (float)j;
        v_of(&c, j)[1] = -(float)j;
    }
    check_tiled(s, &c);
    assert_close(c.h.O.hbm.data[0], (double)peak, c.O_tolerance);
    case_free(&c);
}

static void the_first_key_may_dominate(void **subject)
{
    check_peak(*subject, 0);
}

static void a_middle_key_may_dominate(void **subject)
{
    for (size_t j = 1; j < NK - 1; j += 5)
        check_peak(*subject, j);
}

static void the_last_key_may_dominate(void **subject)
{
    check_peak(*subject, NK - 1);
}

/* The maximum grows at every key: each one rescales all before it. */
static void rising_scores_are_right(void **subject)
{
    attention_case c = case_of_scores(3, 200, 2);

    for (size_t j = 0; j < 200; j++)
        case_score(&c, j, (float)j / 4);
    check_tiled(*subject, &c);
    for (size_t j = 0; j < 200; j++)
        case_score(&c, j, -(float)j / 4);
    check_tiled(*subject, &c);
    case_free(&c);
}

/* --- Values of a known mean ----------------------------------------------- */

/* Weights that sum to 1 give a constant back, whatever they are: here even a
 * score's rounding is no excuse, for it moves weight between equals. */
static void constant_values_come_out_as_they_are(void **subject)
{
    const float v[] = {1, -3.5f, 1024, 0};

    for (size_t k = 0; k < COUNT(v); k++) {
        attention_case c = case_of(NQ, NK, 4, 3);

        case_random(&c, 34);
        case_same_values(&c, v[k]);
        case_expect(&c, *subject);
        c.O_tolerance = fmin(c.O_tolerance, 1.2e-6 * fabs((double)v[k]));
        check_as_expected(*subject, &c);
        case_free(&c);
    }
}

/* Sums of terms that nearly cancel: the error is t max|V|, not t |O|. */
static void values_of_alternating_sign_cancel(void **subject)
{
    attention_case flat = case_of_scores(3, 200, 2);
    attention_case peaked = case_of(NQ, 200, 4, 2);

    fill(flat.h.K.hbm, 0);
    case_exact(&peaked, 35);
    for (size_t j = 0; j < 200; j++)
        for (size_t k = 0; k < 2; k++)
            v_of(&flat, j)[k] = v_of(&peaked, j)[k] = j % 2 ? 1024 : -1024;
    check_tiled(*subject, &flat);
    check_tiled(*subject, &peaked);
    case_free(&flat);
    case_free(&peaked);
}

const attention_claim score_claims[] = {
    CLAIM(a_scale_of_zero_gives_the_mean, 0),
    CLAIM(a_negative_scale_turns_the_scores_over, 0),
    CLAIM(a_large_scale_gives_the_value_of_the_best_key, 0),
    CLAIM(a_tiny_scale_gives_the_mean, FORWARD_ALONE),
    CLAIM(a_softcap_bends_the_scores, SOFTCAPS),
    CLAIM(a_mask_comes_after_the_softcap, SOFTCAPS | MASKS),
    CLAIM(a_softcap_makes_infinite_scores_finite, SOFTCAPS | WEIGHTS_AGAIN),
    CLAIM(a_softcap_passes_a_nan_on, SOFTCAPS),
    CLAIM(equal_scores_give_the_mean, 0),
    CLAIM(the_first_key_may_dominate, FORWARD_ALONE),
    CLAIM(a_middle_key_may_dominate, FORWARD_ALONE),
    CLAIM(the_last_key_may_dominate, FORWARD_ALONE),
    CLAIM(rising_scores_are_right, 0),
    CLAIM(constant_values_come_out_as_they_are, FORWARD_ALONE),
    CLAIM(values_of_alternating_sign_cancel, 0),
    {0},
};
