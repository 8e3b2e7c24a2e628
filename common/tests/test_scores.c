/*
 * Scores: scale, softcap, mask and causal limit in that order; weights, and
 * the sum that they are divided by; and values, of which weight 0 takes none.
 */
#include "common/scores.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#define INF INFINITY

/* One query (1, 2) against three keys: q . k is 1, 4 and -2. */
static float Q[] = {1, 2}, K[] = {1, 0, 0, 2, 2, -2}, mask[] = {10, -INF, 0};

static head some_head(void)
{
    return (head){.Nq = 1, .Nk = 3, .d = 2, .dv = 2, .scale = 0.5f};
}

/* The three scores of query 0 of the head, keys j0 .. 2. */
static void check_scores(const head *h, size_t j0, const double *want)
{
    float s[3] = {NAN, NAN, NAN};
    memory mem;

    memory_init(&mem, 0);
    scores(h, &mem, matrix_of(s, 1, 3 - j0), matrix_of(Q, 1, 2),
           matrix_of(K + 2 * j0, 3 - j0, 2), 0, j0);
    assert_all_close(s, want, 3 - j0, 1e-6);
    assert_int_equal(mem.counts.read[MASK], h->mask.hbm.data ? 3 - j0 : 0);
    assert_int_equal(mem.counts.read[ALGORITHM], 0);
}

static void a_score_is_scale_times_the_product(void **state)
{
    head h = some_head();

    check_scores(&h, 0, (double[]){0.5, 2, -1});
    check_scores(&h, 1, (double[]){2, -1});
    h.scale = -3;
    check_scores(&h, 0, (double[]){-3, -12, 6});
}

static void the_softcap_bends_it(void **state)
{
    head h = some_head();

    h.softcap = 1.5f;
    check_scores(&h, 0,
                 (double[]){1.5 * tanh(0.5 / 1.5), 1.5 * tanh(2 / 1.5),
                            1.5 * tanh(-1 / 1.5)});
}

static void a_mask_is_added_after_the_softcap(void **state)
{
    head h = some_head();

    h.mask = (array){matrix_of(mask, 1, 3), FP32};
    check_scores(&h, 0, (double[]){10.5, -HUGE_VAL, -1});
    h.softcap = 1.5f;
    check_scores(&h, 0,
                 (double[]){10 + 1.5 * tanh(0.5 / 1.5), -HUGE_VAL,
                            1.5 * tanh(-1 / 1.5)});
}

static void a_key_beyond_the_limit_is_minus_infinity(void **state)
{
    head h = some_head();

    h.causal = true;
    h.offset = 1;
    check_scores(&h, 0, (double[]){0.5, 2, -HUGE_VAL});
    check_scores(&h, 1, (double[]){2, -HUGE_VAL});
    h.offset = -1;
    check_scores(&h, 0, (double[]){-HUGE_VAL, -HUGE_VAL, -HUGE_VAL});
}

/* A key that is not attended is not looked at: NaN + -inf would be NaN. */
static void a_masked_key_may_hold_a_nan(void **state)
{
    float broken[] = {1, 0, NAN, 2, 2, -2}, s[3];
    head h = some_head();
    memory mem;

    h.mask = (array){matrix_of(mask, 1, 3), FP32};
    memory_init(&mem, 0);
    scores(&h, &mem, matrix_of(s, 1, 3), matrix_of(Q, 1, 2),
           matrix_of(broken, 3, 2), 0, 0);
    assert_all_close(s, ((double[]){10.5, -HUGE_VAL, -1}), 3, 1e-6);
}

/* Rows i0 and on, columns j0 and on: the tile's place in S decides. */
static void every_row_of_a_tile_has_its_own_limit(void **state)
{
    float ones[4] = {1, 1, 1, 1}, s[9];
    head h = {.Nq = 9, .Nk = 9, .d = 1, .scale = 1, .causal = true};
    const double want[] = {1, -HUGE_VAL, -HUGE_VAL, 1, 1, -HUGE_VAL, 1, 1, 1};
    memory mem;

    memory_init(&mem, 0);
    h.offset = 1; /* query 4 sees key 5 */
    scores(&h, &mem, matrix_of(s, 3, 3), matrix_of(ones, 3, 1),
           matrix_of(ones, 3, 1), 4, 5);
    assert_all_close(s, want, 9, 0);
}

/* --- Weights -------------------------------------------------------------- */

static void weights_are_taken_against_the_maximum(void **state)
{
    float s[] = {2, 1, -INF, 2};
    head h = some_head();

    assert_close(weights(&h, s, 4, 2), 2 + exp(-1), 1e-6);
    assert_all_close(s, ((double[]){1, exp(-1), 0, 1}), 4, 1e-7);
}

static void weights_of_masked_keys_are_zero(void **state)
{
    float s[] = {-INF, -INF};
    head h = some_head();

    assert_close(weights(&h, s, 2, -INF), 0, 0);
    assert_all_close(s, ((double[]){0, 0}), 2, 0);
    assert_close(weights(&h, s, 0, -INF), 0, 0);
}

/* What is multiplied is narrow; what is summed is not. */
static void weights_are_rounded_but_not_their_sum(void **state)
{
    float s[] = {0, -1};
    head h = some_head();

    h.P = BF16;
    assert_close(weights(&h, s, 2, 0), 1 + exp(-1), 1e-7);
    assert_close(s[1], (double)round_to(BF16, expf(-1)), 0);
    assert_true(fabs((double)s[1] - exp(-1)) > 1e-5);
}

/* --- Values --------------------------------------------------------------- */

static void values_are_summed_by_their_weights(void **state)
{
    float V[] = {1, 2, 10, 20, 100, 200}, p[] = {0.5f, 0, 2}, o[] = {7, 0};

    add_weighted(o, p, matrix_of(V, 3, 2));
    assert_all_close(o, ((double[]){207.5, 401}), 2, 0);
}

static void a_weight_of_zero_takes_nothing_even_of_a_nan(void **state)
{
    float V[] = {1, 2, NAN, INF}, p[] = {1, 0}, o[] = {0, 0};

    add_weighted(o, p, matrix_of(V, 2, 2));
    assert_all_close(o, ((double[]){1, 2}), 2, 0);
}

static void a_weight_of_nan_is_not_passed_over(void **state)
{
    float V[] = {1, 2}, p[] = {NAN}, o[] = {0, 0};

    add_weighted(o, p, matrix_of(V, 1, 2));
    assert_true(isnan(o[0]) && isnan(o[1]));
}

static void counting_adds_up(void **state)
{
    memory mem;

    memory_init(&mem, 0);
    count(&mem, (counts){.exps = 1, .rescales = 2, .divisions = 3});
    count(&mem, (counts){.exps = 10, .rescales = 20, .divisions = 30});
    assert_int_equal(mem.counts.exps, 11);
    assert_int_equal(mem.counts.rescales, 22);
    assert_int_equal(mem.counts.divisions, 33);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_score_is_scale_times_the_product),
        cmocka_unit_test(the_softcap_bends_it),
        cmocka_unit_test(a_mask_is_added_after_the_softcap),
        cmocka_unit_test(a_key_beyond_the_limit_is_minus_infinity),
        cmocka_unit_test(a_masked_key_may_hold_a_nan),
        cmocka_unit_test(every_row_of_a_tile_has_its_own_limit),
        cmocka_unit_test(weights_are_taken_against_the_maximum),
        cmocka_unit_test(weights_of_masked_keys_are_zero),
        cmocka_unit_test(weights_are_rounded_but_not_their_sum),
        cmocka_unit_test(values_are_summed_by_their_weights),
        cmocka_unit_test(a_weight_of_zero_takes_nothing_even_of_a_nan),
        cmocka_unit_test(a_weight_of_nan_is_not_passed_over),
        cmocka_unit_test(counting_adds_up),
    };

    return run_tests("scores", tests);
}
