/*
 * What log_softmax has to give, against float64.
 */
#include "log_softmax.h"

#include <math.h>
#include <string.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

#define LONGEST 600

/* Fails unless the n scores give what is right; says what was wrong. */
static void check(const float *x, size_t n, const char *why)
{
    double weight[LONGEST], L;
    float y[LONGEST];

    reference_softmax(x, weight, n, &L);
    for (size_t i = 0; i < n; i++)
        y[i] = 77;
    log_softmax(x, y, n);
    for (size_t i = 0; i < n; i++) {
        double want = isnan(L)            ? (double)NAN
                      : x[i] == -INFINITY ? -HUGE_VAL
                                          : (double)x[i] - L;
        double tolerance = 1e-6 + (double)n * 0x1p-25;

        if (isfinite(want))
            tolerance += 0x1p-22 * fabs(want);
        if (!is_close_or_nan((double)y[i], want, tolerance))
            fail_msg("%s\n  x[%zu] = %.9g of %zu scores: want y[%zu] = %.9g, "
                     "got %.9g",
                     why, i, (double)x[i], n, i, want, (double)y[i]);
    }
}

static void one_score_has_all_the_weight(void **state)
{
    check((float[]){3}, 1, "its weight is 1, and ln 1 is 0");
}

static void equal_scores_give_minus_ln_n(void **state)
{
    check((float[]){2, 2, 2, 2}, 4, "each weighs 1/4: ln l belongs to it");
}

static void any_row_is_right(void **state)
{
    random_source source = variant_seed(41);
    float x[LONGEST];

    for (size_t n = 1; n <= LONGEST; n = n * 2 + 1) {
        random_fill(&source, x, n, 4);
        check(x, n, "a row of random scores");
    }
}

static void a_weight_of_0_has_a_logarithm(void **state)
{
    check((float[]){0, -1000}, 2, "e^-1000 is 0 in fp32, its ln is -1000");
}

static void large_scores_do_not_overflow(void **state)
{
    check((float[]){89, 0}, 2, "e^89 overflows fp32");
    check((float[]){-104, -204}, 2, "e^-104 underflows fp32");
}

static void large_scores_lose_no_digits(void **state)
{
    check((float[]){10000, 10000, 10000}, 3,
          "m + ln l has no digits for ln l where m is 10000");
    check((float[]){-10000, -10001, -10003}, 3,
          "m + ln l has no digits for ln l where m is -10000");
}

static void masked_scores_stay_masked(void **state)
{
    check((float[]){-INFINITY, 1, 2}, 3, "a masked score has ln 0 = -inf");
    check((float[]){-INFINITY, -INFINITY}, 2,
          "all are masked: -inf - -inf is NaN");
}

static void a_broken_row_is_seen_everywhere(void **state)
{
    check((float[]){1, NAN, 2}, 3, "a NaN makes the whole row NaN");
    check((float[]){-INFINITY, NAN}, 2, "a NaN makes the whole row NaN");
    check((float[]){1, INFINITY}, 2, "+inf makes the whole row NaN");
}

static void it_may_be_done_in_place(void **state)
{
    float x[] = {1, 3, 2, 0}, y[4];

    log_softmax(x, y, 4);
    log_softmax(x, x, 4);
    if (memcmp(x, y, sizeof x) != 0)
        fail_msg("y may be x: a score was overwritten while it was needed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_score_has_all_the_weight),
        cmocka_unit_test(equal_scores_give_minus_ln_n),
        cmocka_unit_test(any_row_is_right),
        cmocka_unit_test(a_weight_of_0_has_a_logarithm),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(large_scores_lose_no_digits),
        cmocka_unit_test(masked_scores_stay_masked),
        cmocka_unit_test(a_broken_row_is_seen_everywhere),
        cmocka_unit_test(it_may_be_done_in_place),
    };

    return run_tests("log_softmax", tests);
}
