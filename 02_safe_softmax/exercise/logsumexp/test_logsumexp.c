/*
 * What logsumexp has to give, against float64.
 */
#include "logsumexp.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/variant.h"
#include "common/judge/reference.h"
#include "common/testing/run_tests.h"

#define LONGEST 1000

/* Fails unless L is that of the n scores; says what was wrong in words. */
static void check(const float *x, size_t n, const char *reason)
{
    double y[LONGEST], want, tolerance, got = (double)logsumexp(x, n);

    reference_softmax(x, y, n, &want);
    tolerance = 1e-6 + (double)n * 0x1p-25 + 0x1p-23 * fabs(want);
    if (is_close_or_nan(got, want, tolerance))
        return;
    print_error("%s\n", reason);
    for (size_t i = 0; i < n && i < 5; i++)
        print_error("  x[%zu] = %.9g\n", i, (double)x[i]);
    assert_close_at(got, want, tolerance, "logsumexp", __FILE__, __LINE__);
}

static void one_score_is_its_own_logsumexp(void **state)
{
    check((float[]){0}, 1, "one score is its own logsumexp");
}

static void equal_scores_add_ln_n(void **state)
{
    check((float[]){2, 2, 2, 2}, 4, "n scores of x have x + ln n");
}

static void the_worked_example_comes_out(void **state)
{
    const float x[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};

    check(x, 6, "0.1 0.5 0.4 0.2 0.3 0.3 have 0.5 + ln 4.95344 = 2.10008");
}

static void random_rows_are_right(void **state)
{
    random_source source = variant_seed(7);
    float x[LONGEST];

    for (size_t n = 1; n <= LONGEST; n = n * 3 / 2 + 1) {
        random_fill(&source, x, n, 4);
        check(x, n, "every score counts, the first and the last too");
    }
}

static void big_scores_do_not_overflow(void **state)
{
    check((float[]){89, 88, 0}, 3, "e^89 overflows fp32");
    check((float[]){1e4f, 1e4f, -1e4f}, 3, "e^10000 overflows fp32");
    check((float[]){0, 1e30f}, 2, "e^1e30 overflows anything");
}

static void very_negative_scores_do_not_underflow(void **state)
{
    check((float[]){-104, -105, -110}, 3, "e^-104 is 0 in fp32: ln 0 = -inf");
    check((float[]){-1e4f, -1e4f}, 2, "e^-10000 is 0 in fp32: ln 0 = -inf");
}

static void a_masked_score_adds_nothing(void **state)
{
    check((float[]){1, -INFINITY, 2}, 3, "a score of -inf adds nothing");
    check((float[]){-INFINITY, 1}, 2, "a first score of -inf adds nothing");
}

static void a_masked_row_gives_minus_infinity(void **state)
{
    check((float[]){-INFINITY, -INFINITY}, 2,
          "a row of nothing but -inf: ln 0 = -inf, but -inf - -inf is NaN");
    check(NULL, 0, "an empty row: ln 0 = -inf");
}

static void a_broken_row_is_seen(void **state)
{
    check((float[]){1, NAN, 2}, 3, "a NaN must not vanish");
    check((float[]){NAN, -INFINITY}, 2, "a NaN among -inf must not vanish");
    check((float[]){1, INFINITY, 2}, 3, "+inf makes the row NaN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_score_is_its_own_logsumexp),
        cmocka_unit_test(equal_scores_add_ln_n),
        cmocka_unit_test(the_worked_example_comes_out),
        cmocka_unit_test(random_rows_are_right),
        cmocka_unit_test(big_scores_do_not_overflow),
        cmocka_unit_test(very_negative_scores_do_not_underflow),
        cmocka_unit_test(a_masked_score_adds_nothing),
        cmocka_unit_test(a_masked_row_gives_minus_infinity),
        cmocka_unit_test(a_broken_row_is_seen),
    };

    return run_tests("logsumexp", tests);
}
