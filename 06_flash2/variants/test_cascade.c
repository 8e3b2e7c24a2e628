#include "06_flash2/variants/steps.h"

#include <string.h>

#include "common/lesson/attention/heads.h"
#include "common/lesson/attention/measure.h"
#include "common/data/random.h"
#include "common/testing/layer_case.h"
#include "common/testing/run_tests.h"

enum { HK = 2, GROUP = 3, HQ = HK * GROUP };

/* Returns a random batch of B sequences with equal first p keys and values. */
static problem batch_of(size_t B, size_t Nq, size_t Nk, size_t p, size_t d)
{
    const problem_sizes sizes = {B, HQ, HK, Nq, Nk, d, d + 1, 5};
    problem a;

    assert_int_equal(problem_random(&a, &sizes), 0);
    for (size_t k = HK; k < B * HK; k++) {
        const head first = head_at(&a.layer, k % HK * GROUP);
        const head h = head_at(&a.layer, k * GROUP);

        memcpy(h.K.hbm.data, first.K.hbm.data, p * d * sizeof(float));
        memcpy(h.V.hbm.data, first.V.hbm.data, p * (d + 1) * sizeof(float));
    }
    return a;
}

/* Runs cascade with M elements on chip. Checks its traffic against the formula,
 * and all heads against float64. Returns the number of elements moved. */
static size_t check_batch(problem *p, size_t M)
{
    measurement m;

    p->M = M;
    measure_runs(&m, p, cascade_step, 1, false);
    assert_int_equal(p->status, 0);
    assert_int_equal(m.counted.read[ALGORITHM], m.formula.read[ALGORITHM]);
    assert_int_equal(m.counted.written[ALGORITHM],
                     m.formula.written[ALGORITHM]);
    layer_check(&p->layer, cascade_step);
    return counts_moved(m.counted);
}

/* Some of the random problems have no sequence, no query or no key. */
TEST(a_batch_with_a_common_prefix_is_right)
{
    random_source r = random_seed(9);

    for (int k = 0; k < 120; k++) {
        size_t B = random_below(&r, 6), Nq = random_below(&r, 10);
        size_t Nk = random_below(&r, 40), p = random_below(&r, Nk + 1);
        size_t M = MEMORY_UNBOUNDED, d = 1 + random_below(&r, 6), moved;
        problem a = batch_of(B, Nq, Nk, p, d);
        layer *l = &a.layer;

        if (k % 7 == 0)
            M = 4 * d + 2 + random_below(&r, 500);
        l->each.tile.Br = k % 7 ? 1 + random_below(&r, 12) : 0;
        l->each.tile.Bc = k % 7 ? 1 + random_below(&r, 12) : 0;
        l->each.rule.causal = k % 2;
        l->each.rule.offset = (long)random_below(&r, 50) - (long)Nq;
        l->each.rule.window = k % 3 ? 0 : 1 + random_below(&r, 12);
        l->alibi = k % 5 == 0;
        if (B > 1) /* later keys are random, so they differ */
            assert_int_equal(cascade_prefix(l, 1), p);
        moved = check_batch(&a, M);
        if (B * Nq == 0)
            assert_int_equal(moved, 0);
        if (B == 1)
            assert_int_equal(
                moved, counts_moved(heads_formula(l, &chapter_06_steps[1], M)));
        problem_free(&a);
    }
}

TEST(another_key_or_another_value_ends_the_prefix)
{
    problem a = batch_of(3, 2, 20, 15, 4);
    const head last = head_at(&a.layer, 2 * HQ);

    assert_int_equal(cascade_prefix(&a.layer, 0), 15);
    row(last.V.hbm, 11)[4] += 1;
    assert_int_equal(cascade_prefix(&a.layer, 0), 11);
    row(last.K.hbm, 7)[3] += 1;
    assert_int_equal(cascade_prefix(&a.layer, 0), 7);
    check_batch(&a, MEMORY_UNBOUNDED);
    problem_free(&a);
}

TEST(a_prefix_is_loaded_once_for_a_tile_of_sequences)
{
    const size_t Nk = 50, p = 43, d = 3, both = d + d + 1;

    for (size_t B = 2; B <= 9; B++)
        for (size_t Br = 1; Br <= 10; Br++) {
            problem a = batch_of(B, 1, Nk, p, d);
            size_t keys = tiles(B, Br) * p + B * (Nk - p);

            a.layer.each.tile.Br = Br;
            a.layer.each.tile.Bc = 8;
            assert_int_equal(check_batch(&a, MEMORY_UNBOUNDED),
                             HQ * (B * (d + d + 2) + keys * both));
            problem_free(&a);
        }
}
