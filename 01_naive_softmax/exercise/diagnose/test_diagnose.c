/*
 * What diagnose has to find.
 */
#include "diagnose.h"

#include <math.h>

#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

static const char *const names[] = {"WORKS", "BROKEN_INPUT", "SCORE_OVERFLOWS",
                                    "SUM_OVERFLOWS", "SUM_IS_0"};

static const char *name_of(diagnosis d)
{
    return (unsigned)d < 5 ? names[d] : "no diagnosis";
}

static void check(const float *x, size_t n, diagnosis want, const char *why)
{
    diagnosis got = diagnose(x, n);

    if (got == want)
        return;
    print_error("%s\n  %zu scores: want %s, got %s\n", why, n, name_of(want),
                name_of(got));
    for (size_t i = 0; i < n && i < 4; i++)
        print_error("  x[%zu] = %g, e^x = %g\n", i, (double)x[i],
                    (double)expf(x[i]));
    fail();
}

#define CHECK(want, why, ...)                                                  \
    check((float[]){__VA_ARGS__},                                              \
          sizeof((float[]){__VA_ARGS__}) / sizeof(float), want, why)

static void small_scores_work(void **state)
{
    CHECK(WORKS, "all is well here", 0.5f, 1, 2);
    CHECK(WORKS, "all is well here", -3);
}

static void a_large_score_overflows(void **state)
{
    CHECK(SCORE_OVERFLOWS, "e^89 is infinite in fp32", 1, 89, 2);
    CHECK(SCORE_OVERFLOWS, "e^100 is infinite in fp32, first or last", 0, 100);
}

static void up_to_88_72_a_score_works(void **state)
{
    CHECK(WORKS, "e^88.7 is still finite", 88.7f, 1);
}

static void a_sum_may_overflow_where_no_score_does(void **state)
{
    float x[1000];
    size_t n = variant_size(1, 1000, 20, 1000);

    for (size_t i = 0; i < n; i++)
        x[i] = 86;
    check(x, n, SUM_OVERFLOWS, "each e^86 is finite, their sum is not");
    CHECK(SUM_OVERFLOWS, "each e^88.5 is finite, the sum of two is not", 88.5f,
          88.5f);
}

static void one_weight_of_0_is_no_fault(void **state)
{
    CHECK(WORKS, "a weight may be 0, as long as not all are", -104, 1);
    CHECK(WORKS, "a masked score weighs nothing, and that is right", -INFINITY,
          1);
}

static void if_all_are_0_it_is_0_over_0(void **state)
{
    CHECK(SUM_IS_0, "every e^x is 0, and 0 / 0 is NaN", -104, -105, -110);
    CHECK(SUM_IS_0, "every e^x is 0, and 0 / 0 is NaN", -INFINITY, -INFINITY);
    CHECK(WORKS, "e^-103 is small, and above 0", -103, -103);
}

static void a_broken_score_is_not_blamed_on_overflow(void **state)
{
    CHECK(BROKEN_INPUT, "a NaN was there before softmax came", 1, NAN, 2);
    CHECK(BROKEN_INPUT, "the first of the list: the score is broken", 100, 2,
          NAN);
    CHECK(BROKEN_INPUT, "+inf was there before softmax came", 1, INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scores_work),
        cmocka_unit_test(a_large_score_overflows),
        cmocka_unit_test(up_to_88_72_a_score_works),
        cmocka_unit_test(a_sum_may_overflow_where_no_score_does),
        cmocka_unit_test(one_weight_of_0_is_no_fault),
        cmocka_unit_test(if_all_are_0_it_is_0_over_0),
        cmocka_unit_test(a_broken_score_is_not_blamed_on_overflow),
    };

    return run_tests("diagnose", tests);
}
