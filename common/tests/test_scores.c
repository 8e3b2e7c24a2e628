/*
 * Scores: scale, softcap, mask and causal limit in that order; weights, and
 * the sum that they are divided by; and values, of which weight 0 takes none.
 */
#include "common/scores.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#define INF INFINITY

/* The three scores of a query, made from key j0 on. */
static void check_scores(const head *h, const float *k, const double *want)
{
    float q[] = {1, 2}, keys[6];

    for (size_t e = 0; e < 6; e++)
        keys[e] = k[e];
    for (size_t j0 = 0; j0 < 3; j0++) {
        float s[3] = {NAN, NAN, NAN};
        size_t n = 3 - j0;
        memory mem;

        memory_init(&mem, 0);
        scores(h, &mem, matrix_of(s, 1, n), matrix_of(q, 1, 2),
               matrix_of(keys + 2 * j0, n, 2), 0, j0);
        assert_all_close(s, want + j0, n, 1e-6);
        assert_int_equal(mem.counts.read[MASK], h->mask.hbm.data ? n : 0);
        assert_int_equal(mem.counts.read[ALGORITHM], 0);
    }
}

/* The query (1, 2) against three keys: q . k is 1, 4 and -2. */
static void scale_softcap_mask_and_limit_come_in_that_order(void **state)
{
    const float K[] = {1, 0, 0, 2, 2, -2};
    const double bent[] = {1.5 * tanh(0.5 / 1.5), 1.5 * tanh(2 / 1.5),
                           1.5 * tanh(-1 / 1.5)};
    float mask[] = {10, -INF, 0};
    const array masked = {matrix_of(mask, 1, 3), FP32};
    head h = {.Nq = 1, .Nk = 3, .d = 2, .dv = 2, .scale = -3};

    check_scores(&h, K, (double[]){-3, -12, 6});
    h.scale = 0.5f;
    check_scores(&h, K, (double[]){0.5, 2, -1});
    h.softcap = 1.5f;
    check_scores(&h, K, bent);
    h.mask = masked;
    check_scores(&h, K, (double[]){10 + bent[0], -HUGE_VAL, bent[2]});
    h.softcap = 0;
    check_scores(&h, K, (double[]){10.5, -HUGE_VAL, -1});
    /* A key that is not attended is not looked at: NaN + -inf would be NaN. */
    check_scores(&h, (float[]){1, 0, NAN, 2, 2, -2},
                 (double[]){10.5, -HUGE_VAL, -1});
    h.mask = (array){.type = FP32};
    h.causal = true;
    h.offset = 1;
    check_scores(&h, K, (double[]){0.5, 2, -HUGE_VAL});
    h.offset = -1;
    check_scores(&h, K, (double[]){-HUGE_VAL, -HUGE_VAL, -HUGE_VAL});
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

/* What is multiplied is narrow; what is summed is not. */
static void weights_are_taken_against_the_maximum_and_rounded(void **state)
{
    float s[] = {2, 1, -INF, 2}, masked[] = {-INF, -INF};
    head h = {.P = FP32};

    assert_close(weights(&h, s, 4, 2), 2 + exp(-1), 1e-6);
    assert_all_close(s, ((double[]){1, exp(-1), 0, 1}), 4, 1e-7);
    assert_close(weights(&h, masked, 2, -INF), 0, 0);
    assert_all_close(masked, ((double[]){0, 0}), 2, 0);
    assert_close(weights(&h, masked, 0, -INF), 0, 0);
    h.P = BF16;
    s[0] = 0;
    s[1] = -1;
    assert_close(weights(&h, s, 2, 0), 1 + exp(-1), 1e-7);
    assert_close(s[1], round_to(BF16, expf(-1)), 0);
    assert_true(fabs((double)s[1] - exp(-1)) > 1e-5);
}

static void values_are_summed_by_their_weights(void **state)
{
    float V[] = {1, 2, 10, 20, 100, 200}, broken[] = {1, 2, NAN, INF};
    float o[] = {7, 0};

    add_weighted(o, (float[]){0.5f, 0, 2}, matrix_of(V, 3, 2));
    assert_all_close(o, ((double[]){207.5, 401}), 2, 0);
    weighted_sum(o, (float[]){1, 0}, matrix_of(broken, 2, 2));
    assert_all_close(o, ((double[]){1, 2}), 2, 0);
    add_weighted(o, (float[]){NAN}, matrix_of(V, 1, 2));
    assert_true(isnan(o[0]) && isnan(o[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_softcap_mask_and_limit_come_in_that_order),
        cmocka_unit_test(every_row_of_a_tile_has_its_own_limit),
        cmocka_unit_test(weights_are_taken_against_the_maximum_and_rounded),
        cmocka_unit_test(values_are_summed_by_their_weights),
    };

    return run_tests("scores", tests);
}
