/*
 * The thresholds of e^x come out of the bisection as the formats have them.
 */
#include "common/testing/assert_close.h"
#include "common/lesson/softmax_lesson.h"
#include "common/testing/run_tests.h"

#include <math.h>

/* Of fp16, fp32, fp64: the logarithms of the largest number and of half the
 * smallest, and what one rounding may cost. */
static const struct {
    double over, under, unit;
} want[FORMATS] = {{11.0901, -17.3287, 0x1p-11},
                   {88.7228, -103.9721, 0x1p-24},
                   {709.7827, -745.1332, 0x1p-53}};

static void beyond_its_cliffs_naive_softmax_is_nan(void **state)
{
    for (size_t k = 0; k < FORMATS; k++) {
        const float_format *f = &formats[k];
        double over = overflow_of(naive_softmax_in, f, 1);
        double under = underflow_of(naive_softmax_in, f, 1);

        assert_close(over, want[k].over, 1e-4);
        assert_close(under, want[k].under, 1e-4);
        assert_true(isnan(error_near(naive_softmax_in, f, over * 1.01)));
        assert_true(isnan(error_near(naive_softmax_in, f, under * 1.01)));
        assert_close(error_near(naive_softmax_in, f, over - 4), 0,
                     8 * fmax(want[k].unit, 0x1p-24));
        /* n equal scores overflow ln n sooner. */
        assert_close(overflow_of(naive_softmax_in, f, 256), over - log(256),
                     k == 0 ? 0.05 : 1e-3);
        assert_close(underflow_of(naive_softmax_in, f, 256), under, 1e-9);
    }
}

static void safe_softmax_has_no_cliff_in_any_format(void **state)
{
    for (size_t k = 0; k < FORMATS; k++) {
        assert_close(overflow_of(safe_softmax_in, &formats[k], 16), 1000, 0);
        assert_close(underflow_of(safe_softmax_in, &formats[k], 16), -1000, 0);
        for (double x = -999; x < 1000; x += 37)
            assert_close(error_near(safe_softmax_in, &formats[k], x), 0,
                         8 * want[k].unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_its_cliffs_naive_softmax_is_nan),
        cmocka_unit_test(safe_softmax_has_no_cliff_in_any_format),
    };

    return run_tests("cliffs", tests);
}
