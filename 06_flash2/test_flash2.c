/*
 * The steps of chapter 06 keep the contract and save operations. (What they
 * move: test_traffic. Threads and parts: test_divided.)
 */
#include "06_flash2/steps.h"

#include <math.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"
#include "common/exp_minus.h"

enum { D = 6 };

static head long_head(size_t d)
{
    return (head){.Nq = 4096, .Nk = 4096, .d = d, .dv = d};
}

/* --- Beside the products -------------------------------------------------- */

static void deferring_the_division_saves_operations(void **state)
{
    const size_t N = 40, Tc = 3;
    const tile_sizes t = {8, 16};
    counts one = counts_of(flash1, N, D, t);
    counts two = counts_of(flash2_deferred, N, D, t);

    (void)state;
    assert_int_equal(two.exps, N * N + N * Tc);
    assert_int_equal(two.rescales, N * Tc * (1 + D));
    assert_int_equal(two.divisions, N * D);
    assert_true(two.exps < one.exps);
    assert_true(two.rescales < one.rescales);
    assert_int_equal(one.divisions, Tc * two.divisions);
}

/* O has dv columns, not d; and where Bc divides N no tile is empty. */
static void operations_go_by_the_columns_of_V(void **state)
{
    const size_t N = 40, d = 6, dv = 9, Tc = 5;
    const struct {
        attention_fn *run;
        size_t exps, rescales, divisions;
    } want[] = {
        {one_pass_attention, 2 * N * N, N * N * (1 + dv), N * N},
        {tiled_attention, N * N + 2 * N * Tc, N * Tc * (2 + dv), N * Tc * dv},
        {flash1, N * N + 2 * N * Tc, N * Tc * (2 + dv), N * Tc * dv},
        {flash2_deferred, N * N + N * Tc, N * Tc * (1 + dv), N * dv},
        {flash2, N * N + N * Tc, N * Tc * (1 + dv), N * dv},
        /* as many parts as tiles, each merged */
        {split_kv, N * N + 3 * N * Tc, N * Tc * (3 + 3 * dv), N * dv},
    };

    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
        const attention_step step = {.name = "step", .run = want[k].run};
        attention_case c = case_of(N, N, d, dv);

        case_random(&c, k);
        c.h.Br = 4;
        c.h.Bc = 8;
        case_run(&c, &(attention_subject){.step = &step});
        assert_int_equal(c.counts.exps, want[k].exps);
        assert_int_equal(c.counts.rescales, want[k].rescales);
        assert_int_equal(c.counts.divisions, want[k].divisions);
        case_free(&c);
    }
}

/* For the way back: each row's maximum in m, and in l a sum of weights of which
 * the greatest is 1. */
static void row_states_that_are_kept_make_L(void **state)
{
    attention_fn *const run[] = {flash1, flash2_deferred};
    attention_case c = case_of(20, 30, 4, 3);
    float m[20], l[20];

    (void)state;
    case_random(&c, 5);
    c.h.Br = 5;
    c.h.Bc = 7;
    c.h.kept.m = (array){matrix_of(m, 20, 1), FP32};
    c.h.kept.l = (array){matrix_of(l, 20, 1), FP32};
    for (size_t k = 0; k < sizeof run / sizeof run[0]; k++) {
        fill(c.h.kept.m.hbm, NAN);
        fill(c.h.kept.l.hbm, NAN);
        run_kernel(&c, run[k]);
        for (size_t i = 0; i < 20; i++) {
            assert_true(l[i] >= 1 && l[i] <= 30);
            assert_close(m[i] + logf(l[i]), c.h.L.hbm.data[i], 1e-5);
        }
    }
    case_free(&c);
}

/* Scores, row states and a row of P V, which the papers do not bound; and what
 * lies in HBM beside inputs and outputs. */
static void scores_and_row_states_take_what_they_need(void **state)
{
    const size_t Br = 4, Bc = 8, dv = 9;
    const struct {
        attention_fn *run;
        size_t scratch, extra;
    } want[] = {
        {standard_attention, 40 * (6 + dv) + 40,
         40 * 40}, /* K and V stay, too */
        {tiled_attention, Bc + dv, 0},
        {flash1, Br * Bc + 2 * Br + dv, 2 * 40},
        {flash2_deferred, Br * Bc + 2 * Br + dv, 2 * 40},
        {flash2, Br * Bc + 2 * Br + dv, 0},
        /* O, m and l of 5 parts */
        {split_kv, Br * Bc + 2 * Br + dv, 5 * 40 * (dv + 2)},
    };

    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
        attention_case c = case_of(40, 40, 6, dv);
        memory mem;

        case_random(&c, k);
        c.h.Br = Br;
        c.h.Bc = Bc;
        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(want[k].run(&c.h, &mem), MEMORY_OK);
        assert_int_equal(mem.scratch, want[k].scratch);
        assert_int_equal(mem.extra, want[k].extra);
        memory_reset(&mem);
        case_free(&c);
    }
}

static void of_Br_and_Bc_one_alone_is_none(void **state)
{
    head h = long_head(64), Br = h, Bc = h;

    (void)state;
    Br.Br = 3;
    Bc.Bc = 5;
    for (size_t M = 256; M < 100000; M *= 3) {
        const tile_sizes one = flash1_tiles(&h, M), two = flash2_tiles(&h, M);
        const tile_sizes got[] = {flash1_tiles(&Br, M), flash1_tiles(&Bc, M),
                                  flash2_tiles(&Br, M), flash2_tiles(&Bc, M)};

        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(got[k].Br, k < 2 ? one.Br : two.Br);
            assert_int_equal(got[k].Bc, k < 2 ? one.Bc : two.Bc);
        }
    }
}

static void swapping_the_loops_changes_no_operation(void **state)
{
    const tile_sizes t = {8, 16};
    counts one = counts_of(flash2_deferred, 40, D, t);
    counts two = counts_of(flash2, 40, D, t);

    (void)state;
    assert_int_equal(one.exps, two.exps);
    assert_int_equal(one.rescales, two.rescales);
    assert_int_equal(one.divisions, two.divisions);
}

/* The page's lesson: e^{m_prev - m} is 0 on a first tile, and FlashAttention-2
 * prints its line 10 with the inverse of that. */
static void the_papers_inverse_is_nan_on_a_first_tile(void **state)
{
    const float m_prev = -INFINITY, m_new = 2.5f, o = 0, pv = 3;
    float alpha = exp_minus(m_prev, m_new);

    (void)state;
    assert_close(alpha * o + pv, 3, 0);
    assert_true(isnan(1 / alpha * o + pv));
}

/* On a later tile it is finite, and wrong: what is old grows, not shrinks. */
static void the_papers_inverse_is_wrong_on_later_tiles(void **state)
{
    const float s[] = {0, 2}, v[] = {1, 5};
    float alpha = exp_minus(s[0], s[1]), l = alpha + 1;
    double w = exp(-2), want = (w * 1 + 5) / (w + 1);

    (void)state;
    assert_close((alpha * v[0] + v[1]) / l, want, 1e-6);
    assert_true((double)((1 / alpha * v[0] + v[1]) / l) > 2 * want);
}

/* --- The price of an unnormalised O --------------------------------------- */

/* n equal keys with V = 1.5 2^124, a key at a time: O of the first query. */
static float sum_of_huge_values(attention_fn *run, size_t n)
{
    attention_case c = case_of_scores(1, n, 1);
    float o;

    fill(c.h.K.hbm, 0);
    case_same_values(&c, 1.5f * 0x1p124f);
    c.h.Br = c.h.Bc = 1;
    run_kernel(&c, run);
    o = *c.h.O.hbm.data;
    case_free(&c);
    return o;
}

/* 10 of them are 15 2^124, and fp32 ends at 16 2^124. */
static void an_unnormalised_O_overflows_at_11_huge_values(void **state)
{
    attention_fn *const steps[] = {flash2_deferred, flash2, flash2_parallel};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        assert_close(sum_of_huge_values(steps[k], 10) * 0x1p-124f, 1.5, 2e-6);
        assert_close(sum_of_huge_values(steps[k], 11), HUGE_VAL, 0);
    }
}

static void a_normalised_O_does_not(void **state)
{
    attention_fn *const steps[] = {standard_attention, three_pass_attention,
                                   two_pass_attention, one_pass_attention,
                                   tiled_attention,    flash1};

    (void)state;
    for (size_t k = 0; k < 6; k++)
        assert_close(sum_of_huge_values(steps[k], 1000) * 0x1p-124f, 1.5, 5e-5);
}

int main(void)
{
    /* Its parts depend on Nk: a row's sum is cut where more keys follow. And
     * split_kv_simd leaves more than a few queries to flash2_simd. */
    const attention_excuse excuses[] = {
        {"split_kv", SAME_BITS, 0}, {"split_kv_simd", SAME_BITS, 0}, {0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deferring_the_division_saves_operations),
        cmocka_unit_test(operations_go_by_the_columns_of_V),
        cmocka_unit_test(row_states_that_are_kept_make_L),
        cmocka_unit_test(scores_and_row_states_take_what_they_need),
        cmocka_unit_test(of_Br_and_Bc_one_alone_is_none),
        cmocka_unit_test(swapping_the_loops_changes_no_operation),
        cmocka_unit_test(the_papers_inverse_is_nan_on_a_first_tile),
        cmocka_unit_test(the_papers_inverse_is_wrong_on_later_tiles),
        cmocka_unit_test(an_unnormalised_O_overflows_at_11_huge_values),
        cmocka_unit_test(a_normalised_O_does_not),
    };

    return run_attention_tests("flash2", chapter_06_steps, excuses, tests,
                               sizeof tests / sizeof tests[0]);
}
