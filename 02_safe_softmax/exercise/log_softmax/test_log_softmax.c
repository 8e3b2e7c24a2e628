/*
 * For the grader:
 *   no points: one_score_has_all_the_weight
 *   no points: it_works_in_place
 *   no points: a_nan_or_inf_makes_the_row_nan
 *   log_softmax: n x[n] y[n] => y
 */
#include "log_softmax.h"

#include <math.h>
#include <string.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/inputs.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

#define LONGEST 600

typedef struct {
    const char *test, *scores, *why;
} entry;

static void check(const float *x, size_t n, const char *why)
{
    double weight[LONGEST], L;
    float y[LONGEST];

    reference_softmax(x, weight, n, &L);
    for (size_t i = 0; i < n; i++)
        y[i] = 77;
    keep_input("x", x, n);
    log_softmax(x, y, n);
    assert_inputs_kept();
    for (size_t i = 0; i < n; i++) {
        double want = isnan(L)            ? (double)NAN
                      : x[i] == -INFINITY ? -HUGE_VAL
                                          : (double)x[i] - L;
        double tolerance = 1e-6 + (double)n * 0x1p-25;

        if (isfinite(want))
            tolerance += 0x1p-22 * fabs(want);
        if (!is_close_or_nan((double)y[i], want, tolerance))
            fail_msg("%s\n  x[%zu] = %.9g of %s: want y[%zu] = %.9g, "
                     "got %.9g%s",
                     why, i, (double)x[i], quantity(n, "score", "scores").text,
                     i, want, (double)y[i],
                     difference(want, (double)y[i]).text);
    }
}

static void check_entry(const void *row)
{
    const entry *e = row;
    size_t n;
    float *x = varied_scores(e->scores, &n);

    check(x, n, e->why);
}

TEST(any_row_is_right)
{
    random_source source = variant_seed(41);
    float x[LONGEST];

    for (size_t n = 1; n <= LONGEST; n = n * 2 + 1) {
        random_fill(&source, x, n, 4);
        check(x, n, "a row of random scores");
    }
}

TEST(it_works_in_place)
{
    float x[] = {1, 3, 2, 0}, y[4];

    log_softmax(x, y, 4);
    log_softmax(x, x, 4);
    for (size_t i = 0; i < 4; i++)
        if (!is_close((double)x[i], (double)y[i], 1e-6))
            fail_msg("y may be x: a score was overwritten before its last use");
}

int main(void)
{
    const entry entries[] = {
        {"one_score_has_all_the_weight", "3", "its weight is 1, and ln 1 is 0"},
        {"equal_scores_give_minus_ln_n", "2 2 2 2",
         "each weight is 1/4: subtract ln l, too"},
        {"a_weight_of_0_has_a_logarithm", "0 -1000",
         "e^-1000 is 0 in fp32, but its logarithm is -1000"},
        {"large_scores_do_not_overflow", "89 0", "e^89 overflows fp32"},
        {SAME_TEST, "-104 -204", "e^-104 underflows fp32"},
        {"large_scores_lose_no_digits", "10000 10000 10000",
         "if m is 10000, m + ln l loses digits of ln l"},
        {SAME_TEST, "-10000 -10001 -10003",
         "if m is -10000, m + ln l loses digits of ln l"},
        {"a_masked_score_gives_minus_infinity", "-inf 1 2",
         "y of a masked score is ln 0 = -inf"},
        {SAME_TEST, "-inf -inf", "all scores are masked: -inf - -inf is NaN"},
        {"a_nan_or_inf_makes_the_row_nan", "1 nan 2",
         "a NaN makes the whole row NaN"},
        {SAME_TEST, "-inf nan", "a NaN makes the whole row NaN"},
        {SAME_TEST, "1 inf", "+inf makes the whole row NaN"},
    };

    return run_table("log_softmax", check_entry, entries);
}
