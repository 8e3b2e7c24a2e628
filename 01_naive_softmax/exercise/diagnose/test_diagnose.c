/*
 * For the grader:
 *   no points: small_scores_work
 *   no points: a_score_up_to_88_72_works
 *   no points: one_weight_of_0_is_no_fault
 *   diagnose: n x[n]
 */
#include "diagnose.h"

#include <math.h>
#include <stdbool.h>

#include "common/testing/inputs.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

static const char *const names[] = {"WORKS", "BROKEN_INPUT", "SCORE_OVERFLOWS",
                                    "SUM_OVERFLOWS", "SUM_IS_0"};

typedef struct {
    const char *test, *scores;
    size_t times; /* copies of the first score; 0: every score once */
    diagnosis want;
    const char *why;
} entry;

static const char *name_of(diagnosis d)
{
    return (unsigned)d < 5 ? names[d] : "no diagnosis";
}

static diagnosis expected(const float *x, size_t n)
{
    bool broken = false, overflows = false;
    float sum = 0;

    for (size_t i = 0; i < n; i++) {
        broken |= isnan(x[i]) || x[i] == INFINITY;
        overflows |= isinf(expf(x[i]));
        sum += expf(x[i]);
    }
    return broken       ? BROKEN_INPUT
           : overflows  ? SCORE_OVERFLOWS
           : isinf(sum) ? SUM_OVERFLOWS
           : sum == 0   ? SUM_IS_0
                        : WORKS;
}

static void check_scores(const float *x, size_t n, diagnosis want,
                         const char *why)
{
    diagnosis got;

    keep_input("x", x, n);
    got = diagnose(x, n);
    assert_inputs_kept();

    if (got == want)
        return;
    print_error("%s\n  %s: want %s, got %s\n", why,
                quantity(n, "score", "scores").text, name_of(want),
                name_of(got));
    for (size_t i = 0; i < n && i < 4; i++)
        print_error("  x[%zu] = %g, e^x = %g\n", i, (double)x[i],
                    (double)expf(x[i]));
    fail();
}

/* With VARIANT, adds 1/8 to the scores. Then checks this row and a row that
 * works in random order, so that a fixed list of answers fails. */
static void check(const void *row)
{
    const entry *e = row;
    const float healthy[] = {1, 2};
    float many[1000], *x, shift = variant_number(2, 0, 0.125f, 0.125f);
    random_source source = variant_seed(3);
    size_t n;

    x = numbers(e->scores, &n);
    for (size_t i = 0; i < n; i++)
        x[i] += shift;
    for (size_t i = 0; i < e->times; i++)
        many[i] = x[0];
    if (e->times > 0) {
        n = e->times;
        x = many;
    }
    check_scores(x, n, shift > 0 ? expected(x, n) : e->want,
                 shift > 0 ? "the row after VARIANT added 1/8" : e->why);
    for (int k = 0; k < 4 && shift > 0; k++)
        if (random_below(&source, 2) == 0)
            check_scores(x, n, expected(x, n), "the same row again");
        else
            check_scores(healthy, 2, WORKS,
                         "e^1 and e^2 and their sum are finite");
}

/* The scores are integers, so that no sum is near the largest float. */
TEST(any_row_is_diagnosed)
{
    random_source source = variant_seed(1);

    for (size_t k = 0; k < 300; k++) {
        float x[6], middle = (float)random_below(&source, 260) - 150;
        size_t n = 1 + random_below(&source, 6);

        for (size_t i = 0; i < n; i++)
            x[i] = middle + (float)random_below(&source, 5);
        check_scores(x, n, expected(x, n), "a row of random scores");
    }
}

int main(void)
{
    const entry entries[] = {
        {"small_scores_work", "0.5 1 2", 0, WORKS,
         "the sum of all e^x is finite, and it is not 0"},
        {SAME_TEST, "-3", 0, WORKS,
         "the sum of all e^x is finite, and it is not 0"},
        {"a_large_score_overflows", "1 89 2", 0, SCORE_OVERFLOWS,
         "e^89 is infinite in fp32"},
        {SAME_TEST, "0 100", 0, SCORE_OVERFLOWS,
         "e^100 is infinite in fp32, at any position"},
        {SAME_TEST, "88 1", 0, WORKS, "e^88 is finite in fp32"},
        {"a_score_up_to_88_72_works", "88.7 1", 0, WORKS,
         "e^88.7 is still finite"},
        {"a_sum_may_overflow_if_no_exponential_does", "86",
         variant_size(1, 1000, 20, 1000), SUM_OVERFLOWS,
         "each e^86 is finite, but their sum is not"},
        {SAME_TEST, "88.5 88.5", 0, SUM_OVERFLOWS,
         "each e^88.5 is finite, but the sum of two is not"},
        {SAME_TEST, "80 80", 0, WORKS, "the sum of two e^80 is finite"},
        {"one_weight_of_0_is_no_fault", "-104 1", 0, WORKS,
         "a weight of 0 is a failure only if all are 0"},
        {SAME_TEST, "-inf 1", 0, WORKS,
         "the weight of a masked score must be 0"},
        {"if_every_exponential_is_0_the_sum_is_0", "-104 -105 -110", 0,
         SUM_IS_0, "every e^x is 0, and 0 / 0 is NaN"},
        {SAME_TEST, "-inf -inf", 0, SUM_IS_0,
         "every e^x is 0, and 0 / 0 is NaN"},
        {SAME_TEST, "-103 -103", 0, WORKS, "e^-103 is above 0 in fp32"},
        {"a_nan_or_inf_score_is_not_an_overflow", "1 nan 2", 0, BROKEN_INPUT,
         "the NaN is in the input: it is not an overflow"},
        {SAME_TEST, "100 2 nan", 0, BROKEN_INPUT,
         "a score is NaN: BROKEN_INPUT is first in the list"},
        {SAME_TEST, "1 inf", 0, BROKEN_INPUT,
         "+inf is in the input: it is not an overflow"},
        {SAME_TEST, "1 2", 0, WORKS, "no score is NaN or +inf"},
    };

    return run_table("diagnose", check, entries);
}
