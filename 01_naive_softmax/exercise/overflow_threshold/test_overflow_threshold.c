/*
 * What overflow_threshold has to find, and what it may not do on the way.
 */
#include "overflow_threshold.h"

#include <float.h>
#include <math.h>

#include "common/testing/assert_close.h"
#include "common/precision.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

/* --- Functions that overflow ---------------------------------------------- */

static double exp_fp64(double x)
{
    return exp(x);
}

static double exp_fp32(double x)
{
    return (double)expf((float)x);
}

static double exp_fp16(double x)
{
    return (double)round_to(FP16, expf((float)x));
}

/* The sum of 1000 equal scores, which naive softmax divides by. */
static double sum_of_1000(double x)
{
    float sum = 0;

    for (int i = 0; i < 1000; i++)
        sum += expf((float)x);
    return (double)sum;
}

/* The naive weight of a single score: 1, then inf / inf. */
static double naive_weight(double x)
{
    float e = expf((float)x);

    return (double)(e / e);
}

/* Overflows so late that low + high overflows sooner. */
static double times_1_1(double x)
{
    return x * 1.1;
}

static double limit;

static double infinite_above_limit(double x)
{
    return x > limit ? HUGE_VAL : x;
}

static double infinite_above_2(double x)
{
    return x > 2 ? HUGE_VAL : x;
}

/* --- Asking, with an eye on what is asked --------------------------------- */

/* CMocka's tests take no arguments, and f none but x. */
static struct {
    double (*f)(double x);
    double low, high;
    size_t calls;
} asked;

static double watched(double x)
{
    if (!(x >= asked.low && x <= asked.high))
        fail_msg("f was asked about %g, outside [%g, %g]", x, asked.low,
                 asked.high);
    if (++asked.calls > 5000)
        fail_msg("the bisection does not end: f was asked 5000 times");
    return asked.f(x);
}

static double threshold(double (*f)(double x), double low, double high)
{
    asked.f = f;
    asked.low = low;
    asked.high = high;
    asked.calls = 0;
    return overflow_threshold(watched, low, high);
}

/* --- Claims --------------------------------------------------------------- */

TEST(exp_overflows_at_88_72_in_fp32)
{
    assert_close(threshold(exp_fp32, 0, 1000), 88.72, 0.005);
}

TEST(exp_overflows_at_11_09_in_fp16)
{
    assert_close(threshold(exp_fp16, 0, 1000), 11.09, 0.005);
}

TEST(exp_overflows_at_709_78_in_fp64)
{
    assert_close(threshold(exp_fp64, 0, 1000), 709.78, 0.005);
}

TEST(a_sum_of_1000_overflows_sooner_by_ln_1000)
{
    assert_close(threshold(sum_of_1000, 0, 1000), 88.72 - log(1000), 0.005);
}

TEST(the_answer_itself_is_finite)
{
    double x = threshold(exp_fp64, 0, 1000);

    if (!isfinite(exp_fp64(x)))
        fail_msg("f(%.17g) is not finite: the answer is one too far", x);
}

TEST(the_next_number_is_not_finite)
{
    double x = threshold(exp_fp64, 0, 1000), next = nextafter(x, HUGE_VAL);

    if (isfinite(exp_fp64(next)))
        fail_msg("f(%.17g) is finite too: the bisection stopped early", next);
}

TEST(nan_is_not_finite)
{
    double x = threshold(naive_weight, 0, 1000);

    if (!(fabs(x - 88.72) <= 0.005))
        fail_msg("inf / inf is NaN, and NaN is not finite: want 88.72, got %g",
                 x);
}

TEST(the_middle_itself_does_not_overflow)
{
    assert_close(threshold(times_1_1, 1e308, DBL_MAX) / DBL_MAX, 1 / 1.1,
                 1e-15);
}

TEST(low_may_be_the_answer_already)
{
    assert_close(threshold(infinite_above_2, 2, nextafter(2, 3)), 2, 0);
    assert_close(threshold(infinite_above_2, 2, 1e300), 2, 0);
}

TEST(any_threshold_is_found)
{
    random_source source = variant_seed(2);

    for (int k = 0; k < 20; k++) {
        limit = 1000 * random_uniform(&source);
        assert_close(threshold(infinite_above_limit, 0, 1000), limit, 0);
    }
}
