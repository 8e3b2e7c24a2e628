/* Tests the steps of chapter 06, and operations of steps of chapters 04-06. */
#include "06_flash2/variants/steps.h"

#include <math.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"
#include "common/scores.h"

/* --- Operations and memory ------------------------------------------------ */

static const attention_step *const deferred_step = &chapter_06_steps[0];
static const attention_step *const split_kv_step = &chapter_06_steps[5];

/* Bc divides N, so all tiles have Bc keys. `buffers` is the on-chip memory for
 * scores, row states and a row of P V: M does not bound it. */
TEST(operations_and_memory_equal_the_formulas_with_dv)
{
    const size_t N = 40, d = 6, dv = 9, Br = 4, Bc = 8, Tc = 5;
    const size_t buffers = Br * Bc + 2 * Br + dv;
    const char *const what[] = {"exponentials", "rescales", "divisions",
                                "elements on chip in addition to the tiles",
                                "elements of extra memory"};
    const struct {
        const char *name;
        const attention_step *step;
        size_t numbers[5];
    } want[] = {
        /* all of K and V stay on chip */
        {"standard_attention",
         &chapter_04_steps[0],
         {N * N, 0, N * N, N * (d + dv) + N, N * N}},
        {"one_pass_attention",
         &chapter_04_steps[3],
         {2 * N * N, N * N * (1 + dv), N * N, 0, 0}},
        {"tiled_attention",
         &chapter_04_steps[4],
         {N * N + 2 * N * Tc, N * Tc * (2 + dv), N * Tc * dv, Bc + dv, 0}},
        {"flash1",
         flash1_step,
         {N * N + 2 * N * Tc, N * Tc * (2 + dv), N * Tc * dv, buffers, 2 * N}},
        {"flash2_deferred",
         deferred_step,
         {N * N + N * Tc, N * Tc * (1 + dv), N * dv, buffers, 2 * N}},
        {"flash2",
         flash2_step,
         {N * N + N * Tc, N * Tc * (1 + dv), N * dv, buffers, 0}},
        {"paged_kv",
         paged_kv_step,
         {N * N + N * Tc, N * Tc * (1 + dv), N * dv, buffers,
          3 * (PAGED_KV_PAGE * (d + dv) + 1)}},
        {"cascade",
         cascade_step,
         {N * N + N * Tc, N * Tc * (1 + dv), N * dv, buffers, 0}},
        /* each tile of keys is a part; O, m and l of the parts are merged */
        {"split_kv",
         split_kv_step,
         {N * N + 3 * N * Tc, N * Tc * (3 + 3 * dv), N * dv, buffers,
          Tc * N * (dv + 2)}},
    };

    for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
        auto_case c = case_of(N, N, d, dv);
        memory mem;

        case_random(&c, k);
        c.h.tile.Br = Br;
        c.h.tile.Bc = Bc;
        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(step_run(want[k].step, &c.h, &mem), MEMORY_OK);
        const size_t got[] = {mem.counts.exps, mem.counts.rescales,
                              mem.counts.divisions, mem.scratch, mem.extra};
        for (size_t n = 0; n < 5; n++)
            if (got[n] != want[k].numbers[n])
                fail_msg("%s: %zu %s, want %zu", want[k].name, got[n], what[n],
                         want[k].numbers[n]);
        memory_reset(&mem);
    }
}

/* Line 10 of the paper's Algorithm 1 has the inverse of e^{m_prev - m}. On the
 * first tile the factor is 0, its inverse is inf, and inf * 0 is NaN. */
TEST(the_papers_inverse_is_nan_and_then_wrong)
{
    const float s[] = {0, 2}, v[] = {1, 5};
    float first = exp_minus(-INFINITY, s[0]), alpha = exp_minus(s[0], s[1]);
    double w = exp(-2), want = (w * 1 + 5) / (w + 1);

    assert_close(first * 0 + v[0], 1, 0);
    assert_true(isnan(1 / first * 0 + v[0]));
    assert_close((alpha * v[0] + v[1]) / (alpha + 1), want, 1e-6);
    assert_true((double)((1 / alpha * v[0] + v[1]) / (alpha + 1)) > 2 * want);
}

/* --- Overflow of an unnormalised O ---------------------------------------- */

/* Returns O of one query and n equal keys with V = 1.5 * 2^124. */
static float sum_of_huge_values(const attention_step *step, size_t n)
{
    auto_case c = case_of_scores(1, n, 1);

    fill(c.h.K.hbm, 0);
    case_same_values(&c, 1.5f * 0x1p124f);
    c.h.tile.Br = c.h.tile.Bc = 1;
    case_run(&c, step);
    return *c.h.O.hbm.data;
}

/* The sum of 10 values is 15 * 2^124. fp32 overflows at 16 * 2^124 = 2^128. */
TEST(an_unnormalised_O_overflows_at_11_huge_values)
{
    const attention_step *deferred = chapter_06_steps;
    const attention_step *normalised = chapter_04_steps;

    for (size_t k = 0; k < 3; k++) { /* up to flash2_parallel */
        assert_close(sum_of_huge_values(&deferred[k], 10) * 0x1p-124f, 1.5,
                     2e-6);
        assert_close(sum_of_huge_values(&deferred[k], 11), HUGE_VAL, 0);
    }
    for (; normalised->name; normalised++)
        assert_close(sum_of_huge_values(normalised, 1000) * 0x1p-124f, 1.5,
                     5e-5);
    assert_close(sum_of_huge_values(flash1_step, 1000) * 0x1p-124f, 1.5, 5e-5);
}

/* --- The order of scale and product --------------------------------------- */

/* The products q . k are 6e38 and 3e38. In fp32 6e38 is inf, so the result is
 * NaN if a step scales the product. flash2_simd scales q. */
TEST(a_product_beyond_fp32_is_lost_unless_q_is_scaled_first)
{
    const attention_step *simd = &chapter_06_steps[4];
    auto_case c = case_of_scores(1, 2, 1);

    c.h.scale = 1e-38f;
    *row(c.h.Q.hbm, 0) = 3e38f;
    for (size_t j = 0; j < 2; j++) {
        *row(c.h.K.hbm, j) = j ? 1 : 2;
        *v_of(&c, j) = j ? 1 : 0;
    }
    assert_string_equal(simd->name, "flash2_simd");
    case_run(&c, simd);
    assert_close(*c.h.O.hbm.data, exp(-3) / (1 + exp(-3)), 1e-6);
    case_run(&c, flash2_step);
    assert_true(isnan(*c.h.O.hbm.data));
    case_run(&c, &chapter_04_steps[0]);
    assert_true(isnan(*c.h.O.hbm.data));
}

/* --- Threads and parts ---------------------------------------------------- */

/* There are two parts of 4 keys. The first part has four scores of 10^4, so its
 * l is 4. The second part has one such score and three masked keys, so its l is
 * 1. L of the first part is 10^4 + ln 4, which fp32 rounds to a multiple of
 * 2^-10. */
TEST(an_L_in_fp32_is_too_coarse_to_merge_by)
{
    const float L_first = 1e4f + logf(4), L_second = 1e4f;
    double factor = exp((double)L_second - (double)L_first);
    auto_case c = case_of_scores(1, 8, 1);

    for (size_t j = 0; j < 8; j++) {
        case_score(&c, j, j < 5 ? 1e4f : -INFINITY);
        *v_of(&c, j) = j < 4 ? 0 : 1;
    }
    c.h.tile.Br = 1;
    c.h.tile.Bc = 4;
    assert_int_equal(split_kv_keys(&c.h, (tile_sizes){1, 4}), 4);
    case_run(&c, split_kv_step);
    assert_close(*c.h.O.hbm.data, 0.2, 1e-7);
    assert_true(fabs(factor / (1 + factor) - 0.2) > 5e-5);
}

int main(void)
{
    /* The size of a part depends on Nk, so later keys change partial sums. */
    const attention_excuse excuses[] = {
        {"split_kv", SAME_BITS, 0, 0}, {"split_kv_simd", SAME_BITS, 0, 0}, {0}};

    return run_attention_tests("flash2", chapter_06_steps, excuses);
}
