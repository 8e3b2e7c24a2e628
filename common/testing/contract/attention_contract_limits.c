/*
 * Claims of attention_contract.h: where the inputs are infinite, huge, tiny,
 * or no numbers. Whatever breaks, breaks what it must and nothing else.
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define NQ 9
#define NK 37

static attention_case some_case(void)
{
    attention_case c = case_of(NQ, NK, 4, 3);

    case_exact(&c, 21);
    return c;
}

/* --- NaN and +inf --------------------------------------------------------- */

static void a_nan_in_a_query_stays_in_its_row(void **subject)
{
    for (size_t i = 0; i < NQ; i += 4) {
        attention_case c = some_case();

        q_of(&c, i)[2] = NAN;
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

static void check_broken_key(const attention_subject *s, size_t j)
{
    attention_case c = some_case();

    k_of(&c, j)[3] = NAN;
    check_tiled(s, &c);
    case_free(&c);
}

static void a_nan_in_the_first_key_is_seen(void **subject)
{
    check_broken_key(*subject, 0);
}

static void a_nan_in_a_middle_key_is_seen(void **subject)
{
    check_broken_key(*subject, NK / 2);
}

static void a_nan_in_the_last_key_is_seen(void **subject)
{
    check_broken_key(*subject, NK - 1);
}

static void a_nan_in_every_key_is_seen(void **subject)
{
    attention_case c = case_of_scores(NQ, NK, 2);

    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, NAN);
    check_tiled(*subject, &c);
    case_free(&c);
}

static void a_nan_among_masked_keys_is_seen(void **subject)
{
    for (size_t j = 0; j < NK; j += 4) {
        attention_case c = case_of_scores(NQ, NK, 2);

        for (size_t k = 0; k < NK; k++)
            case_score(&c, k, k == j ? NAN : -INFINITY);
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

static void a_nan_in_a_value_stays_in_its_column(void **subject)
{
    for (size_t j = 0; j < NK; j += 9) {
        attention_case c = some_case();

        v_of(&c, j)[1] = NAN;
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

static void an_infinite_value_stays_in_its_column(void **subject)
{
    for (size_t j = 0; j < NK; j += 9) {
        attention_case c = some_case();

        v_of(&c, j)[0] = INFINITY;
        v_of(&c, j)[2] = -INFINITY;
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* inf - inf is NaN. Row 3 has the score -inf there, and is none the worse. */
static void a_score_of_infinity_makes_its_row_nan(void **subject)
{
    for (size_t j = 0; j < NK; j += 4) {
        attention_case c = case_of_scores(NQ, NK, 2);

        for (size_t k = 0; k < NK; k++)
            case_score(&c, k, (float)(k % 5));
        *q_of(&c, 3) = -1;
        case_score(&c, j, INFINITY);
        check_tiled(*subject, &c);
        case_score(&c, (j + 7) % NK, INFINITY);
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

static void a_mask_of_infinity_makes_its_row_nan(void **subject)
{
    attention_case c = some_case();

    case_mask(&c);
    mask_of(&c, 0)[0] = INFINITY;
    mask_of(&c, 2)[NK / 2] = INFINITY;
    mask_of(&c, 4)[NK - 1] = INFINITY;
    mask_of(&c, 6)[NK - 1] = NAN;
    check_tiled(*subject, &c);
    case_free(&c);
}

/* --- Scores beyond what e^x can hold -------------------------------------- */

/* Scores about a, rising, falling, and with both signs. */
static void check_scores_about(const attention_subject *s, float a)
{
    attention_case c = case_of_scores(3, NK, 2);

    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, a + (float)(j / 4));
    check_tiled(s, &c);
    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, a - (float)(j / 4));
    check_tiled(s, &c);
    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, j % 3 ? -a : a);
    check_tiled(s, &c);
    case_free(&c);
}

static void scores_of_89_do_not_overflow(void **subject)
{
    check_scores_about(*subject, 89);
}

static void scores_of_ten_thousand_do_not_overflow(void **subject)
{
    check_scores_about(*subject, 1e4f);
    check_scores_about(*subject, -1e4f);
}

static void scores_of_seventy_thousand_do_not_overflow(void **subject)
{
    check_scores_about(*subject, 7e4f);
    check_scores_about(*subject, -7e4f);
}

static void very_negative_scores_do_not_underflow(void **subject)
{
    check_scores_about(*subject, -104);
    check_scores_about(*subject, -1000);
}

static void denormal_scores_are_nearly_equal(void **subject)
{
    attention_case c = case_of_scores(3, NK, 2);

    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, (float)(j * 37 % 64) * 0x1p-149f);
    check_tiled(*subject, &c);
    case_free(&c);
}

/* --- Values at the ends of fp32 ------------------------------------------- */

/* Among denormals a rounding costs 2^-149 whatever the value: one for each
 * key, and two at the end. */
static void check_denormal_values(const attention_subject *s, attention_case *c)
{
    for (size_t j = 0; j < NK; j++)
        for (size_t k = 0; k < c->h.dv; k++)
            v_of(c, j)[k] = j % 2 ? -0.5e-40f : 1e-40f;
    case_expect(c, s);
    c->O_tolerance = (NK + 2) * 0x1p-149;
    check_as_expected(s, c);
}

static void denormal_values_are_not_flushed(void **subject)
{
    attention_case flat = case_of_scores(3, NK, 2), peaked = some_case();

    fill(flat.h.K.hbm, 0);
    check_denormal_values(*subject, &flat);
    check_denormal_values(*subject, &peaked);
    case_free(&flat);
    case_free(&peaked);
}

/* Rising to a peak and falling: the weights of any keys in a row add to little
 * more than 1, so that no sum overflows, divided or not. */
static void huge_values_do_not_overflow_on_peaked_rows(void **subject)
{
    for (size_t peak = 0; peak < NK; peak += 9) {
        attention_case c = case_of_scores(3, NK, 2);

        for (size_t j = 0; j < NK; j++) {
            case_score(&c, j, -2 * fabsf((float)j - (float)peak));
            v_of(&c, j)[0] = 1.5f * 0x1p124f;
            v_of(&c, j)[1] = j % 2 ? 1.5f * 0x1p124f : -1.5f * 0x1p124f;
        }
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

const attention_claim limit_claims[] = {
    CLAIM(a_nan_in_a_query_stays_in_its_row, 0),
    CLAIM(a_nan_in_the_first_key_is_seen, 0),
    CLAIM(a_nan_in_a_middle_key_is_seen, 0),
    CLAIM(a_nan_in_the_last_key_is_seen, 0),
    CLAIM(a_nan_in_every_key_is_seen, 0),
    CLAIM(a_nan_among_masked_keys_is_seen, 0),
    CLAIM(a_nan_in_a_value_stays_in_its_column, VALUES_ALONE),
    CLAIM(an_infinite_value_stays_in_its_column, VALUES_ALONE),
    CLAIM(a_score_of_infinity_makes_its_row_nan, 0),
    CLAIM(a_mask_of_infinity_makes_its_row_nan, MASKS),
    CLAIM(scores_of_89_do_not_overflow, 0),
    CLAIM(scores_of_ten_thousand_do_not_overflow, 0),
    CLAIM(scores_of_seventy_thousand_do_not_overflow, 0),
    CLAIM(very_negative_scores_do_not_underflow, 0),
    CLAIM(denormal_scores_are_nearly_equal, FORWARD_ALONE),
    CLAIM(denormal_values_are_not_flushed, FP32_ALONE | FORWARD_ALONE),
    CLAIM(huge_values_do_not_overflow_on_peaked_rows,
          FP32_ALONE | WEIGHTS_TO_1),
    {0},
};
