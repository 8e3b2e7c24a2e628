/*
 * What score_limits has to give: naive softmax is run just inside of the
 * limits, where it works, and just outside, where it does not.
 */
#include "score_limits.h"

#include <float.h>
#include <math.h>

#include "common/precision.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

typedef struct {
    const char *name;
    double largest, smallest;
    precision rounded; /* of fp64: not at all */
} number_type;

static const number_type fp64 = {"fp64", DBL_MAX, 0x1p-1074, FP32},
                         fp32 = {"fp32", FLT_MAX, 0x1p-149, FP32},
                         fp16 = {"fp16", 65504, 0x1p-24, FP16},
                         bf16 = {"bf16", 0x1.fep127, 0x1p-133, BF16};

static double rounded(const number_type *t, double x)
{
    return t == &fp64 ? x : (double)round_to(t->rounded, (float)x);
}

/* e^x and the sum of n of them, in that type. */
static double exponential(const number_type *t, double x)
{
    return rounded(t, exp(x));
}

static double sum(const number_type *t, double x, size_t n)
{
    return rounded(t, (double)n * exponential(t, x));
}

/* Is the highest score highest indeed? */
static void check_highest(const number_type *t, size_t n, const char *why)
{
    double x = score_limits(t->largest, t->smallest, n).highest;

    if (!isfinite(sum(t, x - 0.01, n)))
        fail_msg("%s, n = %zu, highest = %.7g: at %.7g the sum is %g already: "
                 "%s",
                 t->name, n, x, x - 0.01, sum(t, x - 0.01, n), why);
    if (!isinf(sum(t, x + 0.01, n)))
        fail_msg("%s, n = %zu, highest = %.7g: at %.7g the sum is %g, still "
                 "finite: %s",
                 t->name, n, x, x + 0.01, sum(t, x + 0.01, n), why);
}

/* Is the lowest lowest? */
static void check_lowest(const number_type *t, size_t n, const char *why)
{
    double x = score_limits(t->largest, t->smallest, n).lowest;

    if (!(exponential(t, x + 0.01) > 0))
        fail_msg("%s, n = %zu, lowest = %.7g: at %.7g e^x is 0 already: %s",
                 t->name, n, x, x + 0.01, why);
    if (exponential(t, x - 0.01) != 0)
        fail_msg("%s, n = %zu, lowest = %.7g: at %.7g e^x is %g, still above "
                 "0: %s",
                 t->name, n, x, x - 0.01, exponential(t, x - 0.01), why);
}

/* --- Claims --------------------------------------------------------------- */

static void one_score_overflows_where_e_to_the_x_does(void **state)
{
    const char *why = "e^x = largest: what is x?";

    check_highest(&fp32, 1, why);
    check_highest(&fp16, 1, why);
    check_highest(&bf16, 1, why);
}

static void many_scores_overflow_sooner(void **state)
{
    const char *why = "it is the sum of n that has to be finite";

    check_highest(&fp32, 1000, why);
    check_highest(&bf16, variant_size(1, 50000, 100, 90000), why);
}

static void the_highest_score_may_be_below_0(void **state)
{
    check_highest(&fp16, variant_size(2, 1000000, 100000, 2000000),
                  "more than 65504 scores of 0 have a sum beyond fp16");
}

static void too_low_a_score_is_rounded_to_0(void **state)
{
    const char *why = "what is above half the smallest is rounded up";

    check_lowest(&fp32, 1, why);
    check_lowest(&fp16, 1, why);
    check_lowest(&bf16, 1, why);
}

static void each_score_is_rounded_alone(void **state)
{
    check_lowest(&fp32, variant_size(3, 1000, 10, 5000),
                 "n does not help: each e^x is rounded before the sum");
}

static void fp64_has_limits_too(void **state)
{
    check_highest(&fp64, 1000, "fp64: n e^x = largest");
    check_lowest(&fp64, 1000, "fp64: the smallest / 2 is no number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_score_overflows_where_e_to_the_x_does),
        cmocka_unit_test(many_scores_overflow_sooner),
        cmocka_unit_test(the_highest_score_may_be_below_0),
        cmocka_unit_test(too_low_a_score_is_rounded_to_0),
        cmocka_unit_test(each_score_is_rounded_alone),
        cmocka_unit_test(fp64_has_limits_too),
    };

    return run_tests("score_limits", tests);
}
