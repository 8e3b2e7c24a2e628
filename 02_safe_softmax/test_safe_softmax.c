/*
 * Safe softmax keeps the whole contract, also where naive softmax breaks.
 */
#include "02_safe_softmax/steps.h"

#include <math.h>

#include "01_naive_softmax/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/contract/softmax_contract.h"

static const softmax_subject naive = {naive_softmax, 2, 1};
static const softmax_subject safe = {safe_softmax, 3, 1};

/* 0.1 0.5 0.4 0.2 0.3 0.3: m = 0.5 and l = 4.95344. */
static void the_worked_example_comes_out(void **state)
{
    const float x[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};
    const double want[] = {0.135324, 0.201880, 0.182669,
                           0.149556, 0.165285, 0.165285};
    softmax_row r = softmax_of(&safe, x, 6, FP32);

    assert_all_close(r.y, want, 6, 1e-6);
    assert_close(expf(r.L - 0.5f), 4.95344, 1e-5);
    softmax_free(&r);
}

/* The rows that chapter 01 gave NaN, inf and 0. */
static void what_broke_naive_softmax_is_right(void **state)
{
    const float rows[][3] = {
        {88, 89, 0},
        {88.5f, 88.5f, 88.5f},
        {-104, -105, -110},
        {-102, -103, -103},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        check_softmax(&safe, rows[k], 3);
}

/* It is the input that the maximum is subtracted from, not the output. */
static void it_is_naive_softmax_of_the_shifted_row(void **state)
{
    const float x[] = {1000, 1003, 999, 1001};
    const float shifted[] = {-3, 0, -4, -2};
    softmax_row a = softmax_of(&safe, x, 4, FP32);
    softmax_row b = softmax_of(&naive, shifted, 4, FP32);

    for (size_t i = 0; i < 4; i++)
        assert_close(a.y[i], (double)b.y[i], 1e-7);
    assert_close(a.L, (double)b.L + 1003, 1e-4);
    softmax_free(&a);
    softmax_free(&b);
}

/* 1 <= l <= n, so that neither l nor ln l can overflow. */
static void the_logsumexp_lies_within_ln_n_of_the_maximum(void **state)
{
    const float tied[] = {1e4f, 1e4f, 1e4f, 1e4f}, alone[] = {1e4f, 0, 0, 0};
    softmax_row a = softmax_of(&safe, tied, 4, FP32);
    softmax_row b = softmax_of(&safe, alone, 4, FP32);

    assert_close(a.L, 1e4 + log(4), 1e-3);
    assert_close(b.L, 1e4, 0);
    softmax_free(&a);
    softmax_free(&b);
}

int main(void)
{
    const softmax_asked steps[] = {
        {"safe_softmax", {safe_softmax, 3, 64}, false}, {0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_comes_out),
        cmocka_unit_test(what_broke_naive_softmax_is_right),
        cmocka_unit_test(it_is_naive_softmax_of_the_shifted_row),
        cmocka_unit_test(the_logsumexp_lies_within_ln_n_of_the_maximum),
    };

    return run_softmax_tests("safe_softmax", steps, tests,
                             sizeof tests / sizeof tests[0]);
}
