/*
 * Online and merged softmax keep the whole contract, in two passes.
 */
#include "03_online_softmax/steps.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/contract/softmax_contract.h"

static const softmax_subject online = {online_softmax, 2, 1};

/* --- The worked example: 0.1 0.5 0.4 | 0.2 0.3 0.3 ------------------------ */

static const float example[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};

/* After i scores the state is that of those i: l of 0.1, of 0.1 0.5, ... */
static void the_running_sum_follows_the_worked_example(void **state)
{
    const double m[] = {0.1, 0.5, 0.5, 0.5, 0.5, 0.5};
    const double l[] = {1, 1.67032, 2.57516, 3.31598, 4.13471, 4.95344};

    for (size_t i = 0; i < 6; i++) {
        softmax_row r = softmax_of(&online, example, i + 1, FP32);

        assert_close(exp((double)r.L - m[i]), l[i], 1e-5);
        softmax_free(&r);
    }
}

/* --- When the maximum grows ----------------------------------------------- */

static void the_old_sum_is_rescaled_when_the_maximum_grows(void **state)
{
    const float x[] = {0, 0, 0, 2};
    softmax_row r = softmax_of(&online, x, 4, FP32);

    assert_close(r.L, 2.340753, 1e-6); /* ln(3 + e^2); without it ln(4 e^2) */
    softmax_free(&r);
}

static void a_leading_masked_score_is_no_nan(void **state)
{
    const float x[] = {-INFINITY, -INFINITY, 1, 2};

    check_softmax(&online, x, 4);
}

int main(void)
{
    const softmax_asked steps[] = {
        {"online_softmax", {online_softmax, 2, 64}, false},
        {"merged_softmax in blocks of 1", {merged_softmax, 2, 1}, false},
        {"merged_softmax in blocks of 3", {merged_softmax, 2, 3}, false},
        {"merged_softmax in blocks of 64", {merged_softmax, 2, 64}, false},
        {"merged_softmax in one block", {merged_softmax, 2, 2000000}, false},
        {0},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_running_sum_follows_the_worked_example),
        cmocka_unit_test(the_old_sum_is_rescaled_when_the_maximum_grows),
        cmocka_unit_test(a_leading_masked_score_is_no_nan),
    };

    return run_softmax_tests("online_softmax", steps, tests,
                             sizeof tests / sizeof tests[0]);
}
