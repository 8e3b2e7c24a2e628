/* Tests of inputs that are infinite, huge, tiny or NaN. */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

enum { NQ = 9, NK = 37 };

static void a_nan_in_a_query_stays_in_its_row(attention_case *c, size_t k)
{
    q_of(c, 4 * k)[2] = NAN;
}

static void a_nan_in_a_key_makes_rows_nan(attention_case *c, size_t k)
{
    k_of(c, k * 18)[3] = NAN;
}

static void a_nan_in_every_key_makes_rows_nan(attention_case *c, size_t k)
{
    fill(c->h.K.hbm, NAN);
}

static void a_nan_among_masked_keys_makes_rows_nan(attention_case *c, size_t k)
{
    fill(c->h.K.hbm, -INFINITY);
    case_score(c, 4 * k, NAN);
}

static void a_nan_in_a_value_stays_in_its_column(attention_case *c, size_t k)
{
    v_of(c, 9 * k)[1] = NAN;
}

static void an_infinite_value_stays_in_its_column(attention_case *c, size_t k)
{
    v_of(c, 9 * k)[0] = INFINITY;
    v_of(c, 9 * k)[2] = -INFINITY;
}

/* The weight of a score of inf is e^{inf - inf} = NaN. In row 3 the same key
 * has the score -inf, so this row does not become NaN. */
static void a_score_of_infinity_makes_its_row_nan(attention_case *c, size_t k)
{
    for (size_t j = 0; j < NK; j++)
        case_score(c, j, (float)(j % 5));
    *q_of(c, 3) = -1;
    case_score(c, k / 2 * 4, INFINITY);
    if (k % 2)
        case_score(c, (k / 2 * 4 + 7) % NK, INFINITY);
}

static void a_mask_of_infinity_makes_its_row_nan(attention_case *c, size_t k)
{
    case_mask(c);
    mask_of(c, 0)[0] = INFINITY;
    mask_of(c, 2)[NK / 2] = INFINITY;
    mask_of(c, 4)[NK - 1] = INFINITY;
    mask_of(c, 6)[NK - 1] = NAN;
    mask_of(c, 6)[3] = -INFINITY;
}

/* The scores rise from a, fall from a, or are a and -a. If a step does not
 * subtract the maximum, e^x overflows, or all weights become 0. */
static void scores_beyond_e_to_x_do_not_overflow(attention_case *c, size_t k)
{
    const float scores[] = {89, 1e4f, -1e4f, 7e4f, -7e4f, -104, -1000};
    float a = scores[k / 3];

    for (size_t j = 0; j < NK; j++) {
        float step = (float)(j / 4);

        case_score(c, j,
                   k % 3 == 0   ? a + step
                   : k % 3 == 1 ? a - step
                   : j % 3      ? -a
                                : a);
    }
}

static void subnormal_scores_give_nearly_equal_weights(attention_case *c,
                                                       size_t k)
{
    for (size_t j = 0; j < NK; j++)
        case_score(c, j, (float)(j * 37 % 64) * 0x1p-149f);
}

/* Rounding to a subnormal number has an error of up to 2^-149. There is one
 * rounding per key, and there are two at the end. */
static void subnormal_values_are_not_flushed_to_zero(const attention_step *s)
{
    for (int peaked = 0; peaked < 2; peaked++) {
        auto_case c = case_of(3, NK, 4, 3);

        case_exact(&c, 21);
        if (!peaked)
            fill(c.h.K.hbm, 0);
        for (size_t j = 0; j < NK; j++)
            for (size_t k = 0; k < 3; k++)
                v_of(&c, j)[k] = j % 2 ? -0.5e-40f : 1e-40f;
        case_expect(&c, s);
        c.O_tolerance = (NK + 2) * 0x1p-149;
        check_runs(s, &c, six_sizes);
    }
}

/* Scores rise to a peak and fall. The weights relative to any running maximum
 * add up to little more than 1. So a sum of huge values does not overflow, with
 * or without a division by l. */
static void huge_values_do_not_overflow_on_peaked_rows(attention_case *c,
                                                       size_t k)
{
    for (size_t j = 0; j < NK; j++) {
        case_score(c, j, -2 * fabsf((float)j - 9 * (float)k));
        v_of(c, j)[0] = 1.5f * 0x1p124f;
        v_of(c, j)[1] = j % 2 ? 1.5f * 0x1p124f : -1.5f * 0x1p124f;
    }
}

const attention_test limit_tests[] = {
    {PROBLEMS(a_nan_in_a_query_stays_in_its_row, 3)},
    {PROBLEMS(a_nan_in_a_key_makes_rows_nan, 3)},
    {OF_SCORES(a_nan_in_every_key_makes_rows_nan, 1)},
    {OF_SCORES(a_nan_among_masked_keys_makes_rows_nan, 10)},
    {PROBLEMS(a_nan_in_a_value_stays_in_its_column, 5), .needs = VALUES_ALONE},
    {PROBLEMS(an_infinite_value_stays_in_its_column, 5), .needs = VALUES_ALONE},
    {OF_SCORES(a_score_of_infinity_makes_its_row_nan, 20)},
    {PROBLEMS(a_mask_of_infinity_makes_its_row_nan, 1), .needs = MASKS},
    {OF_SCORES(scores_beyond_e_to_x_do_not_overflow, 21)},
    {OF_SCORES(subnormal_scores_give_nearly_equal_weights, 1),
     .needs = FORWARD_ALONE},
    {CHECK(subnormal_values_are_not_flushed_to_zero),
     .needs = FP32_ALONE | FORWARD_ALONE},
    {OF_SCORES(huge_values_do_not_overflow_on_peaked_rows, 5),
     .needs = FP32_ALONE | WEIGHTS_TO_1},
    {0},
};
