/*
 * The contract refuses what it should: every flaw below is one that somebody
 * makes, and is caught by the claim that names it.
 */
#include "common/testing/expect_failure.h"
#include "common/matrix.h"
#include "common/testing/run_tests.h"
#include "common/testing/contract/softmax_contract.h"

#include <math.h>
#include <string.h>

typedef enum {
    NONE,
    NO_MAXIMUM,      /* e^x, not e^{x - m} */
    MAXIMUM_FROM_0,  /* m = max(0, x): negative rows underflow */
    NO_RESCALE,      /* l keeps weights made with an older maximum */
    NO_GUARD,        /* e^{-inf + inf} */
    LARGE_FOR_INF,   /* -1e30 for -inf: a masked row attends to everything */
    NAN_IS_0,        /* a NaN weighs nothing, and no one hears of it */
    LAST_LEFT_OUT,   /* l sums n - 1 weights */
    LAST_UNWRITTEN,  /* y has n - 1 elements */
    UNDIVIDED,       /* y = e^{x - m} */
    L_IS_M,          /* L = m, ln l forgotten */
    STORED_IN_FP32,  /* y is not rounded to its type */
    ONE_PASS_MORE,   /* reads the row once for nothing */
    READS_ITS_RESULT /* takes x again after y was written */
} flaw;

static float weight(float x, float m, flaw f)
{
    if (f == NAN_IS_0 && isnan(x))
        return 0;
    if (f == LARGE_FOR_INF && x == -INFINITY)
        return expf(fmaxf(x, -1e30f) - fmaxf(m, -1e30f));
    if (f == NO_GUARD || x != -INFINITY)
        return expf(x - m);
    return 0;
}

/* The online softmax, with a flaw. */
static void flawed(softmax_row *r, flaw f)
{
    float m = f == MAXIMUM_FROM_0 ? 0 : -INFINITY, l = 0;

    for (size_t i = 0; i + (f == LAST_LEFT_OUT) < r->n; i++) {
        float x = get(r, i), m_new = f == NO_MAXIMUM ? 0 : fmaxf(m, x);

        l = l * (f == NO_RESCALE ? 1 : weight(m, m_new, f)) +
            weight(x, m_new, f);
        m = m_new;
    }
    for (size_t i = 0; f == ONE_PASS_MORE && i < r->n; i++)
        get(r, i);
    for (size_t i = 0; f == READS_ITS_RESULT && i < r->n; i++)
        r->y[i] = 0;

    for (size_t i = 0; i + (f == LAST_UNWRITTEN) < r->n; i++) {
        float w = weight(get(r, i), m, f);
        float y = f == UNDIVIDED ? w : l == 0 ? 0 : w / l;

        if (f == STORED_IN_FP32) {
            put(r, i, 0);
            r->y[i] = y;
        } else {
            put(r, i, y);
        }
    }
    r->L = f == L_IS_M ? m : m + logf(l);
}

/* clang-format off */
#define STEP(name, f) static void name(softmax_row *r) { flawed(r, f); }
STEP(no_flaw, NONE)
STEP(no_maximum, NO_MAXIMUM)
STEP(maximum_from_0, MAXIMUM_FROM_0)
STEP(no_rescale, NO_RESCALE)
STEP(no_guard, NO_GUARD)
STEP(large_for_inf, LARGE_FOR_INF)
STEP(nan_is_0, NAN_IS_0)
STEP(last_left_out, LAST_LEFT_OUT)
STEP(last_unwritten, LAST_UNWRITTEN)
STEP(undivided, UNDIVIDED)
STEP(l_is_m, L_IS_M)
STEP(stored_in_fp32, STORED_IN_FP32)
STEP(one_pass_more, ONE_PASS_MORE)
STEP(reads_its_result, READS_ITS_RESULT)
/* clang-format on */

/* Whether the contract, claim by claim, fails the step in that claim. */
static bool refused(softmax_fn *step, const char *claim)
{
    const struct CMUnitTest contract[] = {SOFTMAX_CONTRACT(step, 2)};
    softmax_subject subject = {step, 2, 64};
    char output[8192];

    for (size_t i = 0; i < sizeof contract / sizeof contract[0]; i++)
        if (strcmp(strstr(contract[i].name, ": ") + 2, claim) == 0)
            return test_fails(contract[i].test_func, &subject, output,
                              sizeof output);
    fail_msg("the contract has no claim %s", claim);
    return false;
}

static void every_flaw_is_caught_by_its_claim(void **state)
{
    const struct {
        softmax_fn *step;
        const char *claim;
    } cases[] = {
        {no_maximum, "a_score_of_89_does_not_overflow"},
        {no_maximum, "big_scores_do_not_overflow"},
        {no_maximum, "a_big_shift_changes_nothing"},
        {maximum_from_0, "very_negative_scores_do_not_underflow"},
        {no_rescale, "rising_scores_are_right"},
        {no_rescale, "the_last_score_may_dominate"},
        {no_guard, "a_leading_masked_block_has_weight_zero"},
        {no_guard, "a_row_of_masked_scores_is_zero"},
        {large_for_inf, "a_row_of_masked_scores_is_zero"},
        {nan_is_0, "a_nan_makes_the_row_nan"},
        {last_left_out, "ties_share_the_weight"},
        {last_left_out, "a_single_score_has_weight_one"},
        {last_unwritten, "falling_scores_are_right"},
        {undivided, "weights_sum_to_one"},
        {l_is_m, "the_logsumexp_is_right"},
        {stored_in_fp32, "narrow_storage_rounds_what_is_stored"},
        {one_pass_more, "the_passes_over_the_row_are_counted"},
        {reads_its_result, "weights_may_take_the_place_of_the_scores"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (!refused(cases[i].step, cases[i].claim))
            fail_msg("case %zu passes %s", i, cases[i].claim);
}

static void the_failure_names_element_and_score(void **state)
{
    softmax_subject subject = {no_rescale, 2, 64};
    char output[8192];

    (void)state;
    test_fails(rising_scores_are_right, &subject, output, sizeof output);
    assert_non_null(strstr(output, "y[0] of 2, x = 0, max 40: want "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOFTMAX_CONTRACT(no_flaw, 2),
        cmocka_unit_test(every_flaw_is_caught_by_its_claim),
        cmocka_unit_test(the_failure_names_element_and_score),
    };

    return run_tests("softmax_contract", tests);
}
