/*
 * Tests flash2_block_mask. The reference is float64 with an additive mask that
 * has -inf in blocks of 0.
 */
#include "06_flash2/variants/block_mask.h"

#include <math.h>
#include <stdlib.h>

#include "06_flash2/variants/steps.h"
#include "common/data/random.h"
#include "common/lesson/attention/measure.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

/* Writes NaN to K and inf to V of keys that are in blocks of 0 only. */
static void spoil_masked(attention_case *c, block_mask b)
{
    for (size_t j = 0; j < c->h.Nk; j++) {
        size_t r = 0;

        while (r < b.of.rows && row(b.of, r)[j / b.size] == 0)
            r++;
        if (r < b.of.rows)
            continue;
        k_of(c, j)[0] = NAN;
        v_of(c, j)[0] = INFINITY;
    }
}

/* Checks runs with block mask b in addition to the other rules of the case. */
static void check_blocks(attention_case *c, block_mask b, tiles_fn *sizes)
{
    array joined = case_array(c->h.Nq, c->h.Nk), own = c->h.rule.mask;
    step_with_blocks s;

    for (size_t i = 0; i < c->h.Nq; i++)
        for (size_t j = 0; j < c->h.Nk; j++)
            row(joined.hbm, i)[j] = row(b.of, i / b.size)[j / b.size] == 0
                                        ? -INFINITY
                                    : own.hbm.data ? mask_of(c, i)[j]
                                                   : 0;
    case_spoil_unseen(c);
    spoil_masked(c, b);
    c->h.rule.mask = joined;
    case_expect(c, block_mask_step);
    c->h.rule.mask = own;
    add_blocks(&s, block_mask_step, b);
    check_runs(&s.step, c, sizes);
    free(joined.hbm.data);
}

/* The blocks of 1 are diagonal stripes and a few others. With blocks of size
 * 1, 3 or 4 some query sees no key. */
TEST(a_block_mask_excludes_blocks)
{
    static const size_t block_sizes[] = {1, 3, 4, 8, 16, 64};

    for (size_t k = 0; k < 6 * RULE_KINDS; k++) {
        float of[20 * 33];
        auto_case c = case_of(20, 33, 4, 3);
        size_t size = block_sizes[k / RULE_KINDS];
        size_t rows = tiles(20, size), cols = tiles(33, size);

        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < cols; j++) {
                bool some = (i + j) % 3 == 0 || (i * j + size) % 7 == 3;

                of[i * cols + j] = i % 4 != 3 && some ? 1 : 0;
            }
        case_random(&c, 33);
        case_rules(&c, k % RULE_KINDS, 13);
        check_blocks(&c, (block_mask){matrix_of(of, rows, cols), size},
                     six_sizes);
    }
}

TEST(a_block_mask_may_exclude_whole_tiles)
{
    float of[3 * 4] = {0, 1, 0, 0, /**/ 1, 0, 0, 1, /**/ 0, 0, 0, 0};

    for (size_t causal = 0; causal < 2; causal++) {
        auto_case c = case_of(150, 256, 3, 2);

        case_exact(&c, 256);
        case_rules(&c, causal, 60);
        check_blocks(&c, (block_mask){matrix_of(of, 3, 4), 64}, six_sizes);
    }
}

/* --- Traffic -------------------------------------------------------------- */

TEST(counted_traffic_equals_the_formula)
{
    for (size_t seed = 1; seed <= 100; seed++) {
        float of[20 * 20];
        random_source r = random_seed(seed);
        size_t Nq = 1 + random_below(&r, 50), Nk = 1 + random_below(&r, 70);
        size_t d = 1 + random_below(&r, 20), dv = random_below(&r, 20);
        auto_case c = case_of(Nq, Nk, d, dv);
        block_mask b = {.size = 4 + seed % 13};
        step_with_blocks s;
        counts want;

        for (size_t k = 0; k < 20 * 20; k++)
            of[k] = k % 3 == 0 || k % 7 == 2 ? 1 : 0;
        b.of = matrix_of(of, tiles(Nq, b.size), tiles(Nk, b.size));
        case_random(&c, seed);
        case_rules(&c, seed % RULE_KINDS, (long)random_below(&r, 100) - 50);
        c.h.tile.Br = 1 + random_below(&r, 20);
        c.h.tile.Bc = 1 + random_below(&r, 20);
        add_blocks(&s, block_mask_step, b);
        case_run(&c, &s.step);
        want = block_mask_traffic(&b, &c.h, c.h.tile);
        for (size_t k = 0; k < ACCOUNTS; k++) {
            assert_int_equal(c.counts.read[k], want.read[k]);
            assert_int_equal(c.counts.written[k], want.written[k]);
        }
    }
}

/* Tiles have the block size, or half of it. Then a block's keys are loaded
 * twice. */
TEST(traffic_of_K_and_V_is_proportional_to_the_blocks_of_1)
{
    const size_t N = 60, d = 5, size = 10, Nd = N * d;
    float of[36];
    size_t ones = 0;

    for (size_t k = 0; k < 36; k++) {
        of[k] = k % 3 == 0 || k % 7 == 2 ? 1 : 0;
        ones += of[k] != 0;
    }
    for (size_t part = 1; part <= 2; part++) {
        auto_case c = case_of(N, N, d, d);
        step_with_blocks s;

        case_exact(&c, 3);
        c.h.tile.Br = c.h.tile.Bc = size / part;
        add_blocks(&s, block_mask_step,
                   (block_mask){matrix_of(of, 6, 6), size});
        case_run(&c, &s.step);
        assert_int_equal(counts_moved(c.counts),
                         2 * Nd + N + 2 * d * part * ones * size);
    }
}

TEST(all_heads_share_the_block_mask)
{
    const problem_sizes sizes = {2, 4, 2, 30, 40, 5, 4, 1};
    float of[] = {1, 0, 1, 1, 1, 0}, mask[30 * 40];
    step_with_blocks s;
    layer joined;
    measurement m;
    problem p;

    problem_random(&p, &sizes);
    p.M = 200; /* the tiles are smaller than the blocks */
    for (size_t k = 0; k < 30 * 40; k++)
        mask[k] = of[k / 40 / 16 * 3 + k % 40 / 16] == 0 ? -INFINITY : 0;
    joined = p.layer;
    joined.mask_B = joined.mask_H = 1;
    joined.each.rule.mask = hbm_of(mask, 30, 40);
    p.truth_of = &joined;
    add_blocks(&s, block_mask_step, (block_mask){matrix_of(of, 2, 3), 16});
    measure_runs(&m, &p, &s.step, 1, true);
    assert_int_equal(p.status, 0);
    assert_true(m.error < 1e-6);
    assert_int_equal(counts_crossed(m.counted), counts_crossed(m.formula));
    problem_free(&p);
}
