/*
 * Tests that naive softmax works 0.01 inside the limits of score_limits, and
 * fails 0.01 outside.
 *
 * For the grader:
 *   score_limits: largest smallest n
 */
#include "score_limits.h"

#include <float.h>
#include <math.h>

#include "common/precision.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

typedef struct {
    const char *name;
    double largest, smallest;
    precision rounded; /* unused for fp64 */
} number_type;

static const number_type fp64 = {"fp64", DBL_MAX, 0x1p-1074, FP32},
                         fp32 = {"fp32", FLT_MAX, 0x1p-149, FP32},
                         fp16 = {"fp16", 65504, 0x1p-24, FP16},
                         bf16 = {"bf16", 0x1.fep127, 0x1p-133, BF16};

static double rounded(const number_type *t, double x)
{
    return t == &fp64 ? x : (double)round_to(t->rounded, (float)x);
}

/* exponential rounds e^x to the type. sum rounds the sum of n of them. */
static double exponential(const number_type *t, double x)
{
    return rounded(t, exp(x));
}

static double sum(const number_type *t, double x, size_t n)
{
    return rounded(t, (double)n * exponential(t, x));
}

typedef struct {
    const char *test;
    const number_type *type;
    enum { HIGHEST, LOWEST } limit;
    size_t n;
    const char *why;
} entry;

static void check_highest(const number_type *t, size_t n, const char *why)
{
    double x = score_limits(t->largest, t->smallest, n).highest;

    if (!isfinite(sum(t, x - 0.01, n)))
        fail_msg("%s, n = %zu, highest = %.7g: at %.7g the sum is already %g: "
                 "%s",
                 t->name, n, x, x - 0.01, sum(t, x - 0.01, n), why);
    if (!isinf(sum(t, x + 0.01, n)))
        fail_msg("%s, n = %zu, highest = %.7g: at %.7g the sum is %g, still "
                 "finite: %s",
                 t->name, n, x, x + 0.01, sum(t, x + 0.01, n), why);
}

static void check_lowest(const number_type *t, size_t n, const char *why)
{
    double x = score_limits(t->largest, t->smallest, n).lowest;

    if (!(exponential(t, x + 0.01) > 0))
        fail_msg("%s, n = %zu, lowest = %.7g: at %.7g e^x is already 0: %s",
                 t->name, n, x, x + 0.01, why);
    if (exponential(t, x - 0.01) != 0)
        fail_msg("%s, n = %zu, lowest = %.7g: at %.7g e^x is %g, still above "
                 "0: %s",
                 t->name, n, x, x - 0.01, exponential(t, x - 0.01), why);
}

/* With VARIANT, checks an invented type. Its largest number is 2^-k times, and
 * its smallest number 2^k times that of the real type. */
static void check_made_up(const entry *e, int k)
{
    double largest = ldexp(e->type->largest, -k);
    double smallest = ldexp(e->type->smallest, k);
    score_range got = score_limits(largest, smallest, e->n);

    if (e->limit == LOWEST)
        assert_close(got.lowest, log(smallest) - log(2), 0.01);
    else
        assert_close(got.highest, log(largest) - log((double)e->n), 0.01);
}

static void check(const void *row)
{
    const entry *e = row;
    int k = (int)variant_size(4, 0, 1, 5);

    if (k > 0)
        check_made_up(e, k);
    (e->limit == LOWEST ? check_lowest : check_highest)(e->type, e->n, e->why);
}

int main(void)
{
    const char *invert = "solve e^x = largest for x",
               *in_all = "the sum of all n terms must be finite",
               *upwards =
                   "a number above smallest / 2 is rounded up to smallest";
    const entry entries[] = {
        {"one_score_overflows_where_e_to_the_x_does", &fp32, HIGHEST, 1,
         invert},
        {SAME_TEST, &fp16, HIGHEST, 1, invert},
        {SAME_TEST, &bf16, HIGHEST, 1, invert},
        {"many_scores_overflow_sooner", &fp32, HIGHEST, 1000, in_all},
        {SAME_TEST, &bf16, HIGHEST, variant_size(1, 50000, 100, 90000), in_all},
        {"the_highest_score_may_be_below_0", &fp16, HIGHEST,
         variant_size(2, 1000000, 100000, 2000000),
         "the sum for more than 65504 scores of 0 overflows fp16"},
        {"e_to_the_x_is_rounded_to_0_for_a_very_low_x", &fp32, LOWEST, 1,
         upwards},
        {SAME_TEST, &fp16, LOWEST, 1, upwards},
        {SAME_TEST, &bf16, LOWEST, 1, upwards},
        {"each_exponential_is_rounded_before_the_sum", &fp32, LOWEST,
         variant_size(3, 1000, 10, 5000),
         "n does not matter: each e^x is rounded before the sum"},
        {"fp64_has_limits_too", &fp64, HIGHEST, 1000,
         "in fp64, solve n e^x = largest for x"},
        {SAME_TEST, &fp64, LOWEST, 1000,
         "smallest / 2 is 0 in fp64: subtract logarithms"},
    };

    return run_table("score_limits", check, entries);
}
