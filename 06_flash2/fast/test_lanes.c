/*
 * e^x of the fast steps, one lane at a time (06_flash2/fast/lanes.h, base2.h).
 * What the steps make of it, attention_contract.h tests on every target.
 */
#include <math.h>

#include "06_flash2/fast/lanes.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

static const double exact_ln2 = 0.69314718055994531;

/* Scores from where the weight is about 2^-126 to where it is sqrt(2), about
 * a maximum of m in base 2. */
static void check_about(float m)
{
    double top = ((double)m + 0.49) * exact_ln2;

    for (int i = 0; i < 100000; i++) {
        float s = (float)(top - i * 87.0 / 100000);
        double want = exp((double)s - (double)m * exact_ln2);

        assert_close(exp_over(s, m), want, want * 4 * 0x1p-24);
    }
}

static void a_weight_is_within_four_roundings(void **state)
{
    const float m[] = {0, 1, -1, 17, -144, 1000};

    for (size_t i = 0; i < sizeof m / sizeof m[0]; i++)
        check_about(m[i]);
}

static void a_weight_below_the_least_normal_is_zero(void **state)
{
    for (float m = -32767; m < 32768; m += 1111) {
        assert_true(exp_over(-INFINITY, m) == 0);
        assert_true(exp_over((float)(((double)m - 128) * exact_ln2), m) == 0);
    }
}

static void a_score_that_is_no_number_gives_none(void **state)
{
    float with_payload;
    uint32_t bits = 0x7fc00123;

    memcpy(&with_payload, &bits, sizeof bits);
    assert_true(isnan(exp_over(NAN, 3)));
    assert_true(isnan(exp_over(-NAN, 3)));
    assert_true(isnan(exp_over(with_payload, 3)));
    assert_true(isnan(exp_over(INFINITY, 3)));
}

static void powers_of_2_are_exact(void **state)
{
    for (int k = 0; k >= -126; k--)
        assert_true(power_of_2((float)k) == ldexpf(1, k));
    assert_true(power_of_2(-127) == 0);
    assert_true(power_of_2(-40000) == 0);
    assert_true(power_of_2(-INFINITY) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_is_within_four_roundings),
        cmocka_unit_test(a_weight_below_the_least_normal_is_zero),
        cmocka_unit_test(a_score_that_is_no_number_gives_none),
        cmocka_unit_test(powers_of_2_are_exact),
    };

    return run_tests("lanes", tests);
}
