/*
 * Tests safe_softmax, and naive_softmax_in and safe_softmax_in, which plots and
 * tables of the pages use. In fp32 these two must agree with the kernels.
 */
#include "02_safe_softmax/steps.h"

#include <math.h>

#include "01_naive_softmax/steps.h"
#include "common/lesson/softmax/formats.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/softmax_contract.h"

/*
 * Compares rows of the scores top, top - apart, top - 2 apart and so on. The
 * exponentials may differ by one unit in the last place. If e^x is subnormal,
 * that is a large relative error.
 */
static void check(softmax_in *plotted, softmax_fn *kernel, double apart)
{
    const float_format *fp32 = &formats[1];

    for (double top = -130; top < 130; top += 0.37) {
        double x[NEAR], want[NEAR];
        double relative = top > -80 ? 4 * 0x1p-23 : 1;
        float scores[NEAR], got[NEAR];
        softmax_row r = {.n = NEAR, .x = scores, .y = got};

        for (size_t i = 0; i < NEAR; i++) {
            scores[i] = (float)(top - apart * (double)i);
            x[i] = (double)scores[i];
        }
        plotted(fp32, x, want, NEAR);
        kernel(&r);
        for (size_t i = 0; i < NEAR; i++) {
            assert_int_equal(isnan(got[i]), isnan(want[i]));
            if (!isnan(want[i]))
                assert_close(got[i], want[i], relative * want[i] + 0x1p-149);
        }
    }
}

TEST(the_plotted_softmax_agrees_with_the_kernels)
{
    check(naive_softmax_in, naive_softmax, 0.1);
    check(safe_softmax_in, safe_softmax, 0.1);
    check(safe_softmax_in, safe_softmax, 10);
}

/* e^x overflows near the logarithm of the format's largest number, and is 0
 * below that of half its smallest number above 0. The sum of n equal e^x
 * overflows ln n earlier. */
TEST(the_limits_are_those_of_the_formats)
{
    const double over[] = {11.0901, 88.7228, 709.7827};
    const double under[] = {-17.3287, -103.9721, -745.1332};
    const double unit[] = {0x1p-11, 0x1p-24, 0x1p-53};

    for (size_t k = 0; k < FORMATS; k++) {
        const float_format *f = &formats[k];

        assert_close(last_right(naive_softmax_in, f, 1, FARTHEST), over[k],
                     1e-4);
        assert_close(last_right(naive_softmax_in, f, 1, -FARTHEST), under[k],
                     1e-4);
        assert_close(last_right(naive_softmax_in, f, 256, FARTHEST),
                     over[k] - log(256), k == 0 ? 0.05 : 1e-3);
        assert_true(isnan(error_near(naive_softmax_in, f, over[k] * 1.01)));
        for (double x = -1000; x <= 1000; x += 40)
            assert_close(error_near(safe_softmax_in, f, x), 0, 8 * unit[k]);
    }
}

int main(void)
{
    const softmax_entry steps[] = {
        {"safe_softmax", {safe_softmax, 3, 64}, false}, {0}};

    return run_softmax_tests("safe_softmax", steps);
}
