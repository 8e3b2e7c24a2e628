/*
 * Running and judging a step over rows, and the rows it is shown on.
 */
#include "common/testing/assert_close.h"
#include "common/problem/bundled.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"
#include "common/judge/reference.h"

#include <math.h>

/* NaN where the second score is below 0; all to the first, where the first is;
 * else half to each. */
static void halves(softmax_row *r)
{
    float first = get(r, 0), second = get(r, 1);

    put(r, 0, first < 0 ? 1 : 0.5f);
    put(r, 1, second < 0 ? NAN : first < 0 ? 0 : 0.5f);
    r->L = r->x[0];
}

static const softmax_step step = {"halves", FP32, "", halves};

/* Right; off by |0.5 - 0.9| twice, over ||(0.1, 0.9)||; lost by its second; off
 * by more; right. It need be neither the first number nor the last row. */
static void the_worst_row_that_is_not_lost_gives_the_error(void **state)
{
    const float x[10] = {7, 7, 0, 2.1972246f, 3, -1, -5, 7, 6, 6};
    softmax_verdict v;

    assert_int_equal(softmax_judge(&v, &step, 1, x, 2, 2), 0);
    assert_int_equal(v.rows, 2);
    assert_int_equal(v.lost, 0);
    assert_close(v.passes, 1, 0);
    assert_close(v.error, 0.4 * sqrt(2) / sqrt(0.82), 1e-6);
    assert_int_equal(softmax_judge(&v, &step, 1, x, 5, 2), 0);
    assert_int_equal(v.lost, 1);
    assert_close(v.error, sqrt(2), 1e-4);
    assert_int_equal(softmax_judge(&v, &step, 1, x + 4, 1, 2), 0);
    assert_int_equal(v.lost, 1);
    assert_true(isnan(v.error));
}

static void without_the_bundled_data_its_file_is_named(void **state)
{
    npy_array x;

    hear();
    int failed = bundled_scores(&x);
    assert_said_line("common/data/q.npy", "not found from here");
    assert_int_equal(failed, 1);
    assert_null(x.data);
}

static void bundled_scores_are_q_k_over_the_root_of_d(void **state)
{
    npy_array x, q, k;
    size_t N;

    assert_int_equal(bundled_scores(&x) || npy_read(BUNDLED_Q, &q) ||
                         npy_read(BUNDLED_K, &k),
                     0);
    N = q.shape[2];
    for (size_t i = 17; i < x.size / N; i += N) { /* a row of each head */
        size_t d = q.shape[3], j = i / N * N + N - 1;
        double want = 0;

        for (size_t c = 0; c < d; c++)
            want += (double)q.data[i * d + c] * (double)k.data[j * d + c];
        assert_close(x.data[i * N + N - 1], want / sqrt((double)d), 1e-5);
    }
    npy_free(&x);
    npy_free(&q);
    npy_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_row_that_is_not_lost_gives_the_error),
        in_directory(without_the_bundled_data_its_file_is_named),
        cmocka_unit_test(bundled_scores_are_q_k_over_the_root_of_d),
    };

    return run_tests("softmax_rows", tests);
}
