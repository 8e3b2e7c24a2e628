/*
 * For the grader:
 *   no points: the_answer_itself_is_finite
 *   no points: low_may_be_the_answer_already
 *   asks: double f(double x)
 *   overflow_threshold: low high
 */
#include "overflow_threshold.h"

#include <float.h>
#include <math.h>

#include "common/testing/assert_close.h"
#include "common/precision.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

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

/* Returns the sum of e^x over 1000 equal scores x. */
static double sum_of_1000(double x)
{
    float sum = 0;

    for (int i = 0; i < 1000; i++)
        sum += expf((float)x);
    return (double)sum;
}

/* Returns the naive weight of a single score x: 1, or inf / inf = NaN. */
static double naive_weight(double x)
{
    float e = expf((float)x);

    return (double)(e / e);
}

/* Overflows only for x above DBL_MAX / 1.1, where low + high also overflows. */
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

/* The current call of overflow_threshold. checked_f reads these values here,
 * because f takes no argument but x. */
static struct {
    double (*f)(double x);
    double scale; /* the unit of x: f is called with x * scale */
    double low, high;
    size_t calls;
} call;

static double checked_f(double x)
{
    if (!(x >= call.low && x <= call.high))
        fail_msg("f was called for %g, outside [%g, %g]", x, call.low,
                 call.high);
    if (++call.calls > 5000)
        fail_msg("the bisection does not end: over 5000 calls of f");
    return call.f(x * call.scale);
}

static double threshold_of(double (*f)(double x), double low, double high,
                           double scale)
{
    call.f = f;
    call.scale = scale;
    call.low = low;
    call.high = high;
    call.calls = 0;
    return overflow_threshold(checked_f, low, high);
}

/* Fails unless overflow_threshold finds `want` for x in two units. */
static void check_threshold(double (*f)(double x), double want)
{
    const double scales[] = {1, (double)variant_number(3, 2, 1.125f, 1.5f)};

    for (int k = 0; k < 2; k++)
        assert_close(threshold_of(f, 0, 1000, scales[k]) * scales[k], want,
                     0.005);
}

TEST(exp_overflows_at_88_72_in_fp32)
{
    check_threshold(exp_fp32, 88.72);
}

TEST(exp_overflows_at_11_09_in_fp16)
{
    check_threshold(exp_fp16, 11.09);
}

TEST(exp_overflows_at_709_78_in_fp64)
{
    check_threshold(exp_fp64, 709.78);
}

TEST(a_sum_of_1000_overflows_sooner_by_ln_1000)
{
    check_threshold(sum_of_1000, 88.72 - log(1000));
}

TEST(the_answer_itself_is_finite)
{
    double x = threshold_of(exp_fp64, 0, 1000, 1);

    if (!isfinite(exp_fp64(x)))
        fail_msg("f(%.17g) is not finite: the answer is one double too large",
                 x);
}

TEST(the_next_number_is_not_finite)
{
    double scale = (double)variant_number(4, 1, 1.125f, 1.5f);
    double x = threshold_of(exp_fp64, 0, 1000, scale);
    double next = nextafter(x, HUGE_VAL);

    if (!isfinite(exp_fp64(x * scale)) || isfinite(exp_fp64(next * scale)))
        fail_msg("f(%.17g) is finite, too: the bisection stopped early", next);
}

TEST(nan_is_not_finite)
{
    for (int k = 1; k <= 2; k++) {
        double scale = k * (double)variant_number(5, 1, 1.125f, 1.5f);
        double x = threshold_of(naive_weight, 0, 1000, scale) * scale;

        if (!(fabs(x - 88.72) <= 0.005))
            fail_msg("inf / inf is NaN, and NaN is not finite: want 88.72, got "
                     "%g",
                     x);
    }
}

TEST(the_middle_itself_does_not_overflow)
{
    double scale = (double)variant_number(6, 1, 1.125f, 1.5f);
    double x = threshold_of(times_1_1, 1e308, DBL_MAX, scale);

    assert_close(x / DBL_MAX * scale, 1 / 1.1, 1e-15);
}

TEST(low_may_be_the_answer_already)
{
    assert_close(threshold_of(infinite_above_2, 2, nextafter(2, 3), 1), 2, 0);
    assert_close(threshold_of(infinite_above_2, 2, 1e300, 1), 2, 0);
}

TEST(any_threshold_is_found)
{
    random_source source = variant_seed(2);

    for (int k = 0; k < 20; k++) {
        limit = 1000 * random_uniform(&source);
        assert_close(threshold_of(infinite_above_limit, 0, 1000, 1), limit, 0);
    }
}
