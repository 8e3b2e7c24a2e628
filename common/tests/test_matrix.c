/*
 * Views reach the elements that they name and no others.
 */
#include "common/testing/assert_close.h"
#include "common/matrix.h"
#include "common/testing/run_tests.h"

#include <math.h>

static float *counting(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)i;
    return x;
}

static void rows_lie_a_stride_apart(void **state)
{
    float x[12];
    matrix a = matrix_of(counting(x, 12), 3, 4);

    assert_int_equal(a.stride, 4);
    assert_close(row(a, 0)[0], 0, 0);
    assert_close(row(a, 2)[3], 11, 0);
}

static void a_block_shares_its_matrix(void **state)
{
    float x[12];
    matrix a = matrix_of(counting(x, 12), 3, 4);
    matrix b = block(a, 1, 2, 2, 2);

    assert_close(row(b, 0)[0], 6, 0);
    assert_close(row(b, 1)[1], 11, 0);
    row(b, 1)[0] = 100;
    assert_close(row(a, 2)[2], 100, 0);
}

static void a_block_of_a_block_counts_from_it(void **state)
{
    float x[20];
    matrix a = matrix_of(counting(x, 20), 4, 5);
    matrix b = block(block(a, 1, 1, 3, 4), 1, 2, 2, 1);

    assert_close(row(b, 0)[0], 13, 0);
    assert_close(row(b, 1)[0], 18, 0);
}

static void top_keeps_the_columns_and_the_stride(void **state)
{
    float x[12];
    matrix a = top(block(matrix_of(counting(x, 12), 3, 4), 0, 1, 3, 2), 2);

    assert_true(a.rows == 2 && a.cols == 2 && a.stride == 4);
    assert_close(row(a, 1)[1], 6, 0);
}

static void filling_a_block_leaves_the_rest(void **state)
{
    float x[12] = {0};
    const double want[] = {0, 0, 0, 0, 0, 7, 7, 0, 0, 7, 7, 0};

    fill(block(matrix_of(x, 3, 4), 1, 1, 2, 2), 7);
    assert_all_close(x, want, 12, 0);
}

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

static void min_size_is_the_smaller(void **state)
{
    assert_int_equal(min_size(3, 4), 3);
    assert_int_equal(min_size(4, 3), 3);
    assert_int_equal(min_size(SIZE_MAX, 0), 0);
}

static void dot_axpy_and_rescale_take_n_elements(void **state)
{
    const float a[] = {1, 2, 3, NAN}, b[] = {4, -5, 6, NAN};
    float y[] = {1, 1, 1, 99};

    assert_close(dot(a, b, 3), 12, 0);
    assert_close(dot(a, b, 0), 0, 0);
    axpy(y, 2, a, 3);
    assert_all_close(y, ((double[]){3, 5, 7, 99}), 4, 0);
    rescale(y, 0.5f, 3);
    assert_all_close(y, ((double[]){1.5, 2.5, 3.5, 99}), 4, 0);
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

static void the_maximum_of_nothing_is_minus_infinity(void **state)
{
    assert_close(max_of(NULL, 0), -HUGE_VAL, 0);
    assert_close(max_of((float[]){-INFINITY, -INFINITY}, 2), -HUGE_VAL, 0);
}

static void the_maximum_may_stand_anywhere_and_passes_over_nan(void **state)
{
    assert_close(max_of((float[]){-1, -2, -3}, 3), -1, 0);
    assert_close(max_of((float[]){-3, -1, -2}, 3), -1, 0);
    assert_close(max_of((float[]){-3, -2, -1}, 3), -1, 0);
    assert_close(max_of((float[]){NAN, -2, NAN}, 3), -2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_lie_a_stride_apart),
        cmocka_unit_test(a_block_shares_its_matrix),
        cmocka_unit_test(a_block_of_a_block_counts_from_it),
        cmocka_unit_test(top_keeps_the_columns_and_the_stride),
        cmocka_unit_test(filling_a_block_leaves_the_rest),
        cmocka_unit_test(tiles_cover_the_row_with_none_to_spare),
        cmocka_unit_test(min_size_is_the_smaller),
        cmocka_unit_test(dot_axpy_and_rescale_take_n_elements),
        cmocka_unit_test(of_a_weight_of_0_nothing_stays),
        cmocka_unit_test(the_maximum_of_nothing_is_minus_infinity),
        cmocka_unit_test(the_maximum_may_stand_anywhere_and_passes_over_nan),
    };

    return run_tests("matrix", tests);
}
