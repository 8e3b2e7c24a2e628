/*
 * The error of a layer is its distance from float64, whatever stands in it.
 */
#include "common/testing/assert_close.h"
#include "common/problem/attention_arrays.h"
#include "common/judge/attention_measure.h"
#include "common/judge/reference_attention.h"
#include "common/testing/run_tests.h"

#include <math.h>

/* O of each row that is known, as float64 gives it. */
static void write_truth(attention_arrays *a, const attention_truth *t)
{
    size_t dv = a->problem.each.dv;

    for (size_t at = 0; at < t->rows; at += t->every)
        for (size_t c = 0; c < dv; c++)
            a->O.data[at * dv + c] = (float)t->O[at / t->every * dv + c];
}

/* Each head has its rows, so that what is known is a head's own; and it is
 * relative: one element that is off by 1 is off by 1 / ||O||. */
static void the_error_is_relative_over_all_heads(void **state)
{
    const random_sizes sizes = {2, 4, 2, 7, 9, 3, 3, 5};
    attention_arrays a;
    attention_truth t;
    double norm = 0;

    assert_int_equal(arrays_random(&a, &sizes) || truth_of(&a.problem, &t), 0);
    for (size_t nth = 0; nth < 8; nth++) {
        head h = head_at(&a.problem, nth);
        double O[7 * 3];

        assert_int_equal(reference_attention(&h, O, NULL), 0);
        assert_memory_equal(t.O + nth * 7 * 3, O, sizeof O);
    }
    write_truth(&a, &t);
    assert_true(error_of(&a.problem, &t) < 6e-8);
    for (size_t i = 0; i < a.O.size; i++)
        norm += t.O[i] * t.O[i];
    a.O.data[a.O.size - 1] += 1; /* in the last head's last row */
    assert_close(error_of(&a.problem, &t), 1 / sqrt(norm), 1e-6);
    truth_free(&t);
    arrays_free(&a);
}

static void a_large_problem_is_sampled_in_every_head(void **state)
{
    const random_sizes sizes = {2, 4, 2, 64, 40000, 16, 16, 5};
    size_t heads_met = 0, last = (size_t)-1;
    attention_arrays a;
    attention_truth t;
    double want[16];
    head h;

    assert_int_equal(arrays_random(&a, &sizes) || truth_of(&a.problem, &t), 0);
    assert_int_equal(t.rows, 8 * 64);
    assert_true(t.every > 1 && t.every % 2 == 1);
    for (size_t at = 0; at < t.rows; last = at / 64, at += t.every)
        heads_met += at / 64 != last;
    assert_int_equal(heads_met, 8);
    h = head_at(&a.problem, t.every / 64); /* the row known after row 0 */
    h = head_of_queries(&h, t.every % 64, 1);
    assert_int_equal(reference_attention(&h, want, NULL), 0);
    assert_memory_equal(t.O + 16, want, sizeof want);
    write_truth(&a, &t);
    assert_true(error_of(&a.problem, &t) < 6e-8);
    truth_free(&t);
    arrays_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_relative_over_all_heads),
        cmocka_unit_test(a_large_problem_is_sampled_in_every_head),
    };

    return run_tests("attention_error", tests);
}
