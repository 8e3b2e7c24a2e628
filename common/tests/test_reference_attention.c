/*
 * The oracle itself, against cases that can be worked out by hand.
 */
#include "common/judge/reference_attention.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#define INF INFINITY

static array array_at(float *data, size_t rows, size_t cols)
{
    return (array){matrix_of(data, rows, cols), FP32};
}

/* Scores 0, ln 2, ln 3 against query 1: weights 1/6, 2/6, 3/6. */
static float Q[] = {1, -1}, K[3], V[] = {6, 0, 0, 6, 12, 6};

static head by_hand(void)
{
    K[0] = 0;
    K[1] = logf(2);
    K[2] = logf(3);
    return (head){.Nq = 2,
                  .Nk = 3,
                  .d = 1,
                  .dv = 2,
                  .Q = array_at(Q, 2, 1),
                  .K = array_at(K, 3, 1),
                  .V = array_at(V, 3, 2),
                  .scale = 1};
}

/* The first row's O, two elements, and its L. */
static void check_row(const head *h, size_t i, double o0, double o1, double L)
{
    double O[4], l[2];

    assert_int_equal(reference_attention(h, O, l), 0);
    assert_close(O[2 * i], o0, 2e-7);
    assert_close(O[2 * i + 1], o1, 2e-7);
    assert_close(l[i], L, 1e-7);
}

/* (1 (6,0) + 2 (0,6) + 3 (12,6)) / 6 = (42, 30) / 6; row 1: weights 6, 3, 2
 * of 11: (6 (6,0) + 3 (0,6) + 2 (12,6)) / 11 = (60, 30) / 11. */
static void the_small_case_comes_out_by_hand(void **state)
{
    head h = by_hand();

    check_row(&h, 0, 7, 5, log(6));
    check_row(&h, 1, 60. / 11, 30. / 11, log(11. / 6));
}

/* Twice the scores: weights 1, 4, 9 of 14. */
static void the_scale_multiplies(void **state)
{
    head h = by_hand();

    h.scale = 2;
    check_row(&h, 0, (6. + 9 * 12) / 14, (4. * 6 + 9 * 6) / 14, log(14));
}

static void the_softcap_comes_before_the_mask(void **state)
{
    float mask[6] = {0, 0, (float)log(2), 0, 0, 0};
    double a = exp(0), b = exp(0.5 * tanh(log(2) / 0.5)),
           c = 2 * exp(0.5 * tanh(log(3) / 0.5)), l = a + b + c;
    head h = by_hand();

    h.softcap = 0.5f;
    h.mask = array_at(mask, 2, 3);
    check_row(&h, 0, (6 * a + 12 * c) / l, (6 * b + 6 * c) / l, log(l));
}

static void the_causal_limit_is_kept(void **state)
{
    head h = by_hand();

    h.causal = true; /* query 0 sees key 0, query 1 keys 0 and 1 */
    check_row(&h, 0, 6, 0, 0);
    check_row(&h, 1, 6 * 2. / 3, 6 * 1. / 3, log(1.5));
    h.offset = -1; /* query 0 sees none */
    check_row(&h, 0, 0, 0, -HUGE_VAL);
    check_row(&h, 1, 6, 0, 0);
}

static void a_masked_key_is_not_looked_at(void **state)
{
    float mask[6] = {0, -INF, 0, -INF, -INF, -INF};
    head h = by_hand();

    K[1] = NAN;
    V[2] = NAN;
    h.mask = array_at(mask, 2, 3);
    check_row(&h, 0, (6. + 3 * 12) / 4, 3. * 6 / 4, log(4));
    check_row(&h, 1, 0, 0, -HUGE_VAL);
    V[2] = 0;
}

static void a_nan_makes_its_row_nan(void **state)
{
    double O[4], L[2];
    head h = by_hand();

    Q[1] = NAN;
    assert_int_equal(reference_attention(&h, O, L), 0);
    assert_close(O[0], 7, 1e-6);
    assert_true(isnan(O[2]) && isnan(O[3]) && isnan(L[1]));
    Q[1] = -1;
    K[2] = INF; /* +inf for query 0, and for query 1 -inf: not attended */
    assert_int_equal(reference_attention(&h, O, L), 0);
    assert_true(isnan(O[0]) && isnan(O[1]) && isnan(L[0]));
    assert_close(O[2], 4, 1e-6);
}

static void a_nan_in_a_value_stays_in_its_column(void **state)
{
    double O[4], L[2];
    head h = by_hand();

    V[4] = NAN;
    assert_int_equal(reference_attention(&h, O, L), 0);
    assert_true(isnan(O[0]) && isnan(O[2]));
    assert_close(O[1], 5, 1e-6);
    assert_close(L[0], log(6), 1e-6);
    V[4] = 12;
}

static void scores_of_1e30_do_not_overflow(void **state)
{
    head h = by_hand();

    K[1] = 1e30f;
    check_row(&h, 0, 0, 6, (double)1e30f);
}

static void L_may_be_left_out_and_lengths_may_be_zero(void **state)
{
    double O[4] = {1, 1, 1, 1}, L[2];
    head h = by_hand();

    assert_int_equal(reference_attention(&h, O, NULL), 0);
    assert_close(O[0], 7, 1e-6);
    h.Nk = 0;
    assert_int_equal(reference_attention(&h, O, L), 0);
    assert_close(O[3], 0, 0);
    assert_close(L[1], -HUGE_VAL, 0);
    h.Nq = 0;
    assert_int_equal(reference_attention(&h, NULL, NULL), 0);
}

static void a_score_can_be_asked_for(void **state)
{
    head h = by_hand();

    assert_close(reference_score(&h, 0, 1), log(2), 1e-7);
    assert_close(reference_score(&h, 1, 2), -log(3), 1e-7);
    h.causal = true;
    assert_close(reference_score(&h, 0, 1), -HUGE_VAL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_small_case_comes_out_by_hand),
        cmocka_unit_test(the_scale_multiplies),
        cmocka_unit_test(the_softcap_comes_before_the_mask),
        cmocka_unit_test(the_causal_limit_is_kept),
        cmocka_unit_test(a_masked_key_is_not_looked_at),
        cmocka_unit_test(a_nan_makes_its_row_nan),
        cmocka_unit_test(a_nan_in_a_value_stays_in_its_column),
        cmocka_unit_test(scores_of_1e30_do_not_overflow),
        cmocka_unit_test(L_may_be_left_out_and_lengths_may_be_zero),
        cmocka_unit_test(a_score_can_be_asked_for),
    };

    return run_tests("reference_attention", tests);
}
