/*
 * The error of a layer is its distance from float64, whatever stands in it.
 */
#include "common/testing/assert_close.h"
#include "common/problem/attention_arrays.h"
#include "common/judge/attention_measure.h"
#include "common/judge/reference_attention.h"
#include "common/testing/run_tests.h"

#include <math.h>

typedef struct {
    attention_arrays a;
    attention_truth truth;
} known;

static known random_layer(size_t Nq, size_t Nk, size_t d)
{
    const random_sizes sizes = {2, 4, 2, Nq, Nk, d, d, 5};
    known k;

    assert_int_equal(arrays_random(&k.a, &sizes), 0);
    assert_int_equal(truth_of(&k.a.problem, &k.truth), 0);
    return k;
}

static void forget(known *k)
{
    truth_free(&k->truth);
    arrays_free(&k->a);
}

/* O as the oracle gives it for each head, rounded. */
static double *write_truth(known *k)
{
    const layer *p = &k->a.problem;
    double *O = malloc(k->a.O.size * sizeof *O);

    assert_non_null(O);
    for (size_t nth = 0; nth < heads_of(p); nth++) {
        head h = head_at(p, nth);

        assert_int_equal(
            reference_attention(&h, O + nth * p->each.Nq * p->each.dv, NULL),
            0);
    }
    for (size_t i = 0; i < k->a.O.size; i++)
        k->a.O.data[i] = (float)O[i];
    return O;
}

static void the_error_is_relative_over_all_heads(void **state)
{
    known k = random_layer(7, 9, 3);
    double *O = write_truth(&k), norm = 0, error;

    for (size_t i = 0; i < k.a.O.size; i++)
        norm += O[i] * O[i];
    error = error_of(&k.a.problem, &k.truth);
    assert_true(error > 0 && error < 6e-8);
    k.a.O.data[k.a.O.size - 1] += 1; /* in the last head's last row */
    assert_close(error_of(&k.a.problem, &k.truth), 1 / sqrt(norm), 1e-6);
    free(O);
    forget(&k);
}

static void a_large_problem_is_sampled_in_every_head(void **state)
{
    known k = random_layer(64, 40000, 16);
    const layer *p = &k.a.problem;
    size_t heads_met = 0, last = (size_t)-1, second;
    double want[16];
    head h;

    assert_int_equal(k.truth.rows, 8 * 64);
    assert_true(k.truth.every > 1 && k.truth.every % 2 == 1);
    for (size_t at = 0; at < k.truth.rows; at += k.truth.every) {
        if (at / p->each.Nq != last)
            heads_met++;
        last = at / p->each.Nq;
        for (size_t c = 0; c < p->each.dv; c++)
            k.a.O.data[at * p->each.dv + c] =
                (float)k.truth.O[at / k.truth.every * p->each.dv + c];
    }
    assert_int_equal(heads_met, 8);
    second = k.truth.every; /* the row known after row 0 */
    h = head_at(p, second / p->each.Nq);
    h = head_of_queries(&h, second % p->each.Nq, 1);
    assert_int_equal(reference_attention(&h, want, NULL), 0);
    assert_memory_equal(k.truth.O + 16, want, sizeof want);
    assert_true(error_of(p, &k.truth) < 6e-8);
    forget(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_relative_over_all_heads),
        cmocka_unit_test(a_large_problem_is_sampled_in_every_head),
    };

    return run_tests("attention_error", tests);
}
