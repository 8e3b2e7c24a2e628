/*
 * For the grader:
 *   no points: one_score_is_its_own_logsumexp
 *   no points: a_masked_row_gives_minus_infinity
 *   no points: a_nan_or_inf_makes_L_nan
 *   worth 4: big_scores_do_not_overflow
 *   worth 3: very_negative_scores_do_not_underflow
 *   logsumexp: n x[n]
 */
#include "logsumexp.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/inputs.h"
#include "common/testing/variant.h"
#include "common/judge/reference.h"
#include "common/testing/rows.h"

#define LONGEST 1000

typedef struct {
    const char *test, *scores, *why;
} entry;

static void check(const float *x, size_t n, const char *reason)
{
    double y[LONGEST], want, tolerance, got;

    keep_input("x", x, n);
    got = (double)logsumexp(x, n);
    assert_inputs_kept();
    reference_softmax(x, y, n, &want);
    tolerance = 1e-6 + (double)n * 0x1p-25 + 0x1p-23 * fabs(want);
    if (is_close_or_nan(got, want, tolerance))
        return;
    print_error("%s\n", reason);
    for (size_t i = 0; i < n && i < 5; i++)
        print_error("  x[%zu] = %.9g\n", i, (double)x[i]);
    assert_close_at(got, want, tolerance, "logsumexp", __FILE__, __LINE__);
}

static void check_entry(const void *row)
{
    const entry *e = row;
    size_t n;
    float *x = varied_scores(e->scores, &n);

    check(x, n, e->why);
}

TEST(random_rows_are_right)
{
    random_source source = variant_seed(7);
    float x[LONGEST];

    for (size_t n = 1; n <= LONGEST; n = n * 3 / 2 + 1) {
        random_fill(&source, x, n, 4);
        check(x, n, "every score counts, the first and the last too");
    }
}

int main(void)
{
    const entry entries[] = {
        {"one_score_is_its_own_logsumexp", "0",
         "one score is its own logsumexp"},
        {"equal_scores_add_ln_n", "2 2 2 2",
         "the logsumexp of n equal scores x is x + ln n"},
        {"the_worked_example_is_right", "0.1 0.5 0.4 0.2 0.3 0.3",
         "the maximum is 0.5, and the sum of e^{x - 0.5} is 4.95344: L is 0.5 "
         "+ ln 4.95344 = 2.10008"},
        {"big_scores_do_not_overflow", "89 88 0", "e^89 overflows fp32"},
        {SAME_TEST, "1e4 1e4 -1e4", "e^10000 overflows fp32"},
        {SAME_TEST, "0 1e30", "e^1e30 overflows every format"},
        {"very_negative_scores_do_not_underflow", "-104 -105 -110",
         "e^-104 is 0 in fp32: ln 0 = -inf"},
        {SAME_TEST, "-1e4 -1e4", "e^-10000 is 0 in fp32: ln 0 = -inf"},
        {"a_masked_score_adds_nothing", "1 -inf 2",
         "a score of -inf adds nothing"},
        {SAME_TEST, "-inf 1", "a first score of -inf adds nothing"},
        {"a_masked_row_gives_minus_infinity", "-inf -inf",
         "all scores are -inf: ln 0 = -inf, but -inf - -inf is NaN"},
        {SAME_TEST, "", "an empty row: ln 0 = -inf"},
        {"a_nan_or_inf_makes_L_nan", "1 nan 2", "a NaN must not be lost"},
        {SAME_TEST, "nan -inf", "a NaN among -inf must not be lost"},
        {SAME_TEST, "1 inf 2", "+inf makes L NaN"},
    };

    return run_table("logsumexp", check_entry, entries);
}
