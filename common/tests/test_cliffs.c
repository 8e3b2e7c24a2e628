/*
 * The thresholds of e^x come out of the bisection as the formats have them.
 */
#include "common/testing/assert_close.h"
#include "common/lesson/softmax_lesson.h"
#include "common/testing/run_tests.h"

#include <math.h>

static void one_score_overflows_at_the_log_of_the_largest_number(void **state)
{
    static const double want[FORMATS] = {11.0901, 88.7228, 709.7827};

    for (size_t k = 0; k < FORMATS; k++)
        assert_close(overflow_of(naive_softmax_in, &formats[k], 1), want[k],
                     1e-4);
}

static void one_score_underflows_at_half_the_smallest_number(void **state)
{
    static const double want[FORMATS] = {-17.3287, -103.9721, -745.1332};

    for (size_t k = 0; k < FORMATS; k++)
        assert_close(underflow_of(naive_softmax_in, &formats[k], 1), want[k],
                     1e-4);
}

static void n_equal_scores_overflow_ln_n_sooner(void **state)
{
    for (size_t k = 0; k < FORMATS; k++) {
        const float_format *f = &formats[k];
        double one = overflow_of(naive_softmax_in, f, 1);

        assert_close(overflow_of(naive_softmax_in, f, 256), one - log(256),
                     k == 0 ? 0.05 : 1e-3);
        assert_close(underflow_of(naive_softmax_in, f, 256),
                     underflow_of(naive_softmax_in, f, 1), 1e-9);
    }
}

static void safe_softmax_has_no_cliff_in_any_format(void **state)
{
    static const double unit[FORMATS] = {0x1p-11, 0x1p-24, 0x1p-53};

    for (size_t k = 0; k < FORMATS; k++) {
        assert_close(overflow_of(safe_softmax_in, &formats[k], 16), 1000, 0);
        assert_close(underflow_of(safe_softmax_in, &formats[k], 16), -1000, 0);
        for (double x = -999; x < 1000; x += 37)
            assert_close(error_near(safe_softmax_in, &formats[k], x), 0,
                         8 * unit[k]);
    }
}

static void beyond_its_cliffs_naive_softmax_is_nan(void **state)
{
    for (size_t k = 0; k < FORMATS; k++) {
        double over = overflow_of(naive_softmax_in, &formats[k], 1);
        double under = underflow_of(naive_softmax_in, &formats[k], 1);

        assert_true(
            isnan(error_near(naive_softmax_in, &formats[k], over * 1.01)));
        assert_true(
            isnan(error_near(naive_softmax_in, &formats[k], under * 1.01)));
        assert_close(error_near(naive_softmax_in, &formats[k], over - 4), 0,
                     k == 0 ? 8 * 0x1p-11 : 8 * 0x1p-24);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_score_overflows_at_the_log_of_the_largest_number),
        cmocka_unit_test(one_score_underflows_at_half_the_smallest_number),
        cmocka_unit_test(n_equal_scores_overflow_ln_n_sooner),
        cmocka_unit_test(safe_softmax_has_no_cliff_in_any_format),
        cmocka_unit_test(beyond_its_cliffs_naive_softmax_is_nan),
    };

    return run_tests("cliffs", tests);
}
