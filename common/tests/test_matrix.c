/*
 * Views reach the elements that they name and no others; so do the loops over
 * rows, and the guarded exponential hides nothing.
 */
#include "common/matrix.h"

#include "common/exp_minus.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

static void tiles_cover_the_row_with_none_to_spare(void **state)
{
    for (size_t n = 0; n < 40; n++)
        for (size_t size = 1; size < 45; size++) {
            assert_true(tiles(n, size) * size >= n);
            assert_true(n == 0 || (tiles(n, size) - 1) * size < n);
        }
    assert_int_equal(tiles(0, 64), 0);
    assert_int_equal(tiles(SIZE_MAX, 2), SIZE_MAX / 2 + 1);
}

static void of_a_weight_of_0_nothing_stays(void **state)
{
    const float x[] = {NAN, INFINITY, -INFINITY};
    float y[] = {NAN, INFINITY, -INFINITY, 5};

    rescale(y, 0, 3);
    assert_all_close(y, ((double[]){0, 0, 0, 5}), 4, 0);
    add_share(y, 0, x, 3);
    assert_all_close(y, ((double[]){0, 0, 0, 5}), 4, 0);
    add_share(y, 2, y + 3, 1);
    add_share(y, NAN, y + 3, 0);
    assert_all_close(y, ((double[]){10, 0, 0, 5}), 4, 0);
}

static void the_maximum_may_stand_anywhere_and_passes_over_nan(void **state)
{
    assert_close(max_of((float[]){-1, -2, -3}, 3), -1, 0);
    assert_close(max_of((float[]){-3, -1, -2}, 3), -1, 0);
    assert_close(max_of((float[]){-3, -2, -1}, 3), -1, 0);
    assert_close(max_of((float[]){NAN, -2, NAN}, 3), -2, 0);
    assert_close(max_of(NULL, 0), -HUGE_VAL, 0);
    assert_close(max_of((float[]){-INFINITY, -INFINITY}, 2), -HUGE_VAL, 0);
}

/* --- The exponential ------------------------------------------------------ */

static void a_masked_score_weighs_nothing_whatever_the_maximum(void **state)
{
    assert_close(exp_minus(-2.0f, 1.0f), 0.0497870684, 1e-8);
    assert_close(exp_minus(1e30f, 1e30f), 1, 0);
    assert_close(exp_minus(-INFINITY, 3.0f), 0, 0);
    assert_close(exp_minus(-INFINITY, -INFINITY), 0, 0);
    assert_close(exp_minus(-INFINITY, INFINITY), 0, 0);
    assert_true(isnan(exp_minus(NAN, 0.0f)));
    assert_true(isnan(exp_minus(NAN, -INFINITY)));
    assert_true(isnan(exp_minus(INFINITY, INFINITY)));
}

/* 1 / 41 is rounded, and 41 times it is 1 - 2^-24. */
static void nothing_over_an_empty_sum_is_zero_and_equals_give_one(void **state)
{
    assert_close(inverse(0.0f), 0, 0);
    assert_close(inverse(4.0f), 0.25, 0);
    assert_true(isnan(inverse(NAN)));
    assert_true(41.0f * inverse(41.0f) < 1);
    assert_close(ratio(41.0f, 41.0f), 1, 0);
    assert_close(ratio(3.0f, 4.0f), 0.75, 0);
    assert_close(ratio(0.0f, 0.0f), 0, 0);
    assert_true(isnan(ratio(1.0f, NAN)));
    assert_true(isnan(ratio(NAN, 1.0f)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_cover_the_row_with_none_to_spare),
        cmocka_unit_test(of_a_weight_of_0_nothing_stays),
        cmocka_unit_test(the_maximum_may_stand_anywhere_and_passes_over_nan),
        cmocka_unit_test(a_masked_score_weighs_nothing_whatever_the_maximum),
        cmocka_unit_test(nothing_over_an_empty_sum_is_zero_and_equals_give_one),
    };

    return run_tests("matrix", tests);
}
