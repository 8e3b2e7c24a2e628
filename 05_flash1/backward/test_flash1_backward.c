/*
 * The backward steps of chapter 05 keep the contract; what flash1 and standard
 * attention keep is enough for them; their traffic is the page's; and the
 * paper's tile sizes do not fit.
 */
#include "05_flash1/backward/steps.h"

#include <math.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"

static const attention_subject standard = {.backward = &chapter_05_backward[0]};
static const attention_subject flash1_step = {.backward =
                                                  &chapter_05_backward[1]};

/* N queries and keys, d columns, with those tiles. */
static gradient_case ran(const attention_subject *s, size_t N, size_t d,
                         tile_sizes t)
{
    attention_case forward = case_of(N, N, d, d);
    gradient_case c;

    case_random(&forward, N);
    forward.h.Br = t.Br;
    forward.h.Bc = t.Bc;
    c = gradient_case_of(forward);
    gradient_expect(&c);
    gradient_run(&c, s);
    return c;
}

/* --- HBM ------------------------------------------------------------------ */

static const size_t lengths[] = {1, 16, 33, 64};

static void standard_moves_7N2_and_8Nd(void **state)
{
    const size_t d = 6;

    for (size_t n = 0; n < 4; n++) {
        size_t N = lengths[n];
        gradient_case c = ran(&standard, N, d, (tile_sizes){0, 0});

        assert_int_equal(counts_moved(c.counts), 7 * N * N + 8 * N * d);
        assert_int_equal(c.extra, N * N); /* dP, and dS in its place */
        gradient_free(&c);
    }
}

static void flash1_moves_4Nd_and_Tc_times_5Nd_and_2N(void **state)
{
    const tile_sizes pairs[] = {{1, 1},   {4, 8},   {8, 4},  {3, 7},
                                {16, 16}, {64, 64}, {5, 100}};
    const size_t d = 6;

    for (size_t k = 0; k < 4 * sizeof pairs / sizeof pairs[0]; k++) {
        size_t N = lengths[k % 4], Nd = N * d, Tc = tiles(N, pairs[k / 4].Bc);
        gradient_case c = ran(&flash1_step, N, d, pairs[k / 4]);

        assert_int_equal(counts_moved(c.counts),
                         4 * Nd + Tc * (5 * Nd + 2 * N));
        assert_int_equal(c.counts.written[INIT], Nd);
        assert_int_equal(c.extra, 0);
        assert_int_equal(c.counts.exps, N * N);
        assert_int_equal(c.counts.divisions, N * N);
        gradient_free(&c);
    }
}

/* Eight tiles on chip: Q, O, dQ, dO of Br rows, K, V, dK, dV of Bc. */
static void the_papers_tile_sizes_do_not_fit(void **state)
{
    const size_t d = 8, M = 400, rows = M / (4 * d);
    gradient_case c;
    memory mem;

    c = ran(&flash1_step, 40, d, (tile_sizes){3, 3});
    memory_init(&mem, M);
    c.g.h.Br = min_size(rows, d); /* M / 4d, also rounded down */
    c.g.h.Bc = rows;
    assert_int_equal(flash1_backward(&c.g, &mem), MEMORY_TOO_SMALL);
    memory_reset(&mem);
    c.g.h.Br = c.g.h.Bc = 0;
    assert_int_equal(flash1_backward_tiles(&c.g.h, M).Bc, rows / 2);
    assert_int_equal(flash1_backward(&c.g, &mem), MEMORY_OK);
    memory_reset(&mem);
    gradient_free(&c);
}

static void the_rule_is_M_over_the_rows_of_8_tiles(void **state)
{
    head h = {.d = 64, .dv = 32};

    for (size_t M = 1; M < 200000; M = M * 2 + 7) {
        size_t rows = M / (4 * (64 + 32));
        tile_sizes t = flash1_backward_tiles(&h, M);

        assert_int_equal(t.Bc, rows ? rows : 1);
        assert_int_equal(t.Br, min_size(t.Bc, 64));
    }
    h.Br = 3; /* alone it changes nothing */
    assert_int_equal(flash1_backward_tiles(&h, 0).Br, 1);
    h.Bc = 5;
    assert_int_equal(flash1_backward_tiles(&h, 0).Br, 3);
    assert_int_equal(flash1_backward_tiles(&h, 0).Bc, 5);
}

/* flash1_backward's traffic over standard's. */
static double over_standard(size_t N, size_t d, size_t M)
{
    gradients g = {.h = {.Nq = N, .Nk = N, .d = d, .dv = d}};
    tile_sizes t = flash1_backward_tiles(&g.h, M);

    return (double)counts_moved(flash1_backward_traffic(&g, t)) /
           (double)counts_moved(standard_backward_traffic(&g, t));
}

static void whether_it_saves_depends_on_M_and_d(void **state)
{
    assert_close(over_standard(4096, 64, 8192), 2.83, 0.005);
    assert_close(over_standard(251, 32, 8192), 0.71, 0.005);
    assert_true(over_standard(4096, 64, 24064 - 1) > 1);
    assert_true(over_standard(4096, 64, 24064) < 1);
}

/* For N >> d it goes to 40 d^2 / 7 M. */
static void the_saving_goes_to_40_sevenths_of_d2_over_M(void **state)
{
    needs_64_bits();
    assert_close(over_standard(1 << 20, 64, 1 << 17),
                 40.0 / 7 * 64 * 64 / (1 << 17), 0.003);
}

/* dP, and then dS in its place, lie in HBM as narrow as the step is told. */
static void dS_is_rounded_to_what_it_is_stored_as(void **state)
{
    gradient_case c = ran(&standard, 20, 6, (tile_sizes){0, 0});
    double most = 0;

    gradient_check(&c, &standard);
    c.forward.h.stored = BF16;
    gradient_run(&c, &standard);
    for (size_t e = 0; e < 20 * 6; e++)
        most = fmax(most, fabs((double)c.g.dQ.hbm.data[e] - c.dQ[e]));
    assert_true(most > 10 * c.dQ_tolerance);
    assert_true(most < 1000 * c.dQ_tolerance);
    gradient_free(&c);
}

/* --- What the forward pass hands out -------------------------------------- */

/* The backward step on what its forward kernel has left, masked and causal. */
static void check_after_its_forward(const attention_subject *s, bool dead_rows)
{
    attention_case forward = case_of(23, 31, 6, 4);
    gradient_case c;
    memory mem;

    case_random(&forward, 3);
    case_causal(&forward, dead_rows ? -4 : 8);
    case_mask(&forward);
    for (size_t i = 0; i < 23; i++)
        mask_of(&forward, i)[(i * 7) % 31] = -INFINITY;
    forward.h.Br = 5;
    forward.h.Bc = 7;
    c = gradient_case_of(forward);
    gradient_expect(&c);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(s->backward->forward(&c.forward.h, &mem), MEMORY_OK);
    memory_reset(&mem);
    gradient_run(&c, s);
    gradient_check(&c, s);
    gradient_free(&c);
}

static void what_a_forward_kernel_keeps_is_enough(void **state)
{
    check_after_its_forward(&standard, false);
    check_after_its_forward(&standard, true);
    check_after_its_forward(&flash1_step, false);
    check_after_its_forward(&flash1_step, true);
}

/* A NaN row's P, as standard_attention leaves it: NaN where the row attends,
 * and 0 where it does not, so that nothing leaks backward. Rows 1 to 3: all
 * scores NaN, one NaN, one +inf. Of key 6 e^{s - m} is 0. */
static void a_nan_row_of_P_is_0_where_it_is_masked(void **state)
{
    attention_case c = case_of(4, 9, 2, 2);
    float P[4 * 9];
    memory mem;

    case_random(&c, 1);
    case_mask(&c);
    for (size_t i = 1; i < 4; i++) {
        mask_of(&c, i)[4] = -INFINITY;
        mask_of(&c, i)[6] = -20000;
    }
    q_of(&c, 1)[0] = NAN;
    mask_of(&c, 2)[0] = NAN;
    mask_of(&c, 3)[8] = INFINITY;
    c.h.kept.P = (array){matrix_of(P, 4, 9), FP32};
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(standard_attention(&c.h, &mem), MEMORY_OK);
    assert_int_equal(mem.extra, 4 * 9);
    memory_reset(&mem);
    for (size_t i = 1; i < 4; i++)
        for (size_t j = 0; j < 9; j++)
            assert_true(j == 4 ? P[i * 9 + j] == 0 : isnan(P[i * 9 + j]));
    case_free(&c);
}

/* l and m themselves, and that what is not asked for costs the same. */
static void flash1_hands_out_m_and_l(void **state)
{
    attention_case c = case_of_scores(2, 5, 1);
    float m[2], l[2];
    memory mem;

    for (size_t j = 0; j < 5; j++)
        case_score(&c, j, (float)j);
    c.h.kept.m = (array){column(m, 2), FP32};
    c.h.kept.l = (array){column(l, 2), FP32};
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(flash1(&c.h, &mem), MEMORY_OK);
    assert_int_equal(mem.extra, 4);
    memory_reset(&mem);
    for (size_t i = 0; i < 2; i++) {
        assert_close(m[i], 4, 0);
        assert_close(l[i], 1 + exp(-1) + exp(-2) + exp(-3) + exp(-4), 1e-6);
    }
    case_free(&c);
}

int main(void)
{
    /* P is read once, for dS: where that is 0 nobody knows any more why. */
    const attention_excuse excuses[] = {
        {"standard_backward", WEIGHTS_AGAIN | NARROW_WEIGHTS, 0}, {0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_moves_7N2_and_8Nd),
        cmocka_unit_test(flash1_moves_4Nd_and_Tc_times_5Nd_and_2N),
        cmocka_unit_test(the_papers_tile_sizes_do_not_fit),
        cmocka_unit_test(the_rule_is_M_over_the_rows_of_8_tiles),
        cmocka_unit_test(whether_it_saves_depends_on_M_and_d),
        cmocka_unit_test(the_saving_goes_to_40_sevenths_of_d2_over_M),
        cmocka_unit_test(dS_is_rounded_to_what_it_is_stored_as),
        cmocka_unit_test(what_a_forward_kernel_keeps_is_enough),
        cmocka_unit_test(a_nan_row_of_P_is_0_where_it_is_masked),
        cmocka_unit_test(flash1_hands_out_m_and_l),
    };

    return run_gradient_tests("flash1_backward", chapter_05_backward, excuses,
                              tests, sizeof tests / sizeof tests[0]);
}
