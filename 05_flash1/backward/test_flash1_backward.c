/* Tests the backward steps of chapter 05. */
#include "05_flash1/backward/steps.h"

#include <math.h>

#include "04_tiled_attention/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"

#define standard    tested(&chapter_05_backward[0])
#define flash1_step tested(&chapter_05_backward[1])

static attention_case ran(const attention_step *s, size_t N, size_t d,
                          tile_sizes t)
{
    attention_case c = case_of(N, N, d, d);

    case_random(&c, N);
    c.h.tile.Br = t.Br;
    c.h.tile.Bc = t.Bc;
    expect_gradients(&c);
    case_run(&c, s);
    return c;
}

TEST(flash1_computes_each_weight_once)
{
    auto_case c = ran(flash1_step, 33, 6, (tile_sizes){3, 7});

    assert_int_equal(c.extra, 0);
    assert_int_equal(c.counts.exps, 33 * 33);
    assert_int_equal(c.counts.divisions, 33 * 33);
}

/* One row each of Q, dO and dQ is on chip. K, V, dK and dV are not bounded by
 * M, and do not count. */
TEST(the_standard_step_has_three_rows_on_chip)
{
    auto_case c = ran(standard, 20, 6, (tile_sizes){0, 0});

    assert_int_equal(c.on_chip, 3 * 6);
}

/* Eight tiles are on chip: Q, O, dQ, dO of Br rows, and K, V, dK, dV of Bc
 * rows. */
TEST(the_papers_tile_sizes_do_not_fit)
{
    const size_t d = 8, M = 400, rows = M / (4 * d);
    auto_case c = ran(flash1_step, 40, d, (tile_sizes){3, 3});
    memory mem;

    memory_init(&mem, M);
    c.g.h.tile.Br = min_size(rows, d); /* the paper's M / 4d, rounded down */
    c.g.h.tile.Bc = rows;
    assert_int_equal(flash1_backward(&c.g, &mem), MEMORY_TOO_SMALL);
    memory_reset(&mem);
    c.g.h.tile.Br = c.g.h.tile.Bc = 0;
    assert_int_equal(flash1_backward_tiles(&c.g.h, M).Bc, rows / 2);
    assert_int_equal(flash1_backward(&c.g, &mem), MEMORY_OK);
    memory_reset(&mem);
}

/* standard_backward stores dP, and later dS, in an array of the type of P. */
TEST(dS_is_rounded_to_its_storage_type)
{
    auto_case c = ran(standard, 20, 6, (tile_sizes){0, 0});
    double most = 0;

    assert_int_equal(c.extra, 20 * 20);
    /* dO, dQ, dK, dV, and two arrays of 20 x 20: P of the forward pass, and dS */
    assert_close(backward_bytes(&c.h, "standard_backward"),
                 sizeof(float) * (4 * 20 * 6 + 2 * 20 * 20), 0);
    assert_close(backward_bytes(&c.h, "flash1_backward"),
                 sizeof(float) * 4 * 20 * 6, 0);
    case_check(&c, standard);
    c.h.P.type = BF16;
    case_run(&c, standard);
    for (size_t e = 0; e < 20 * 6; e++) {
        double off = fabs((double)c.g.dQ.hbm.data[e] - c.dQ[e]);

        assert_true(off >= 0); /* not NaN */
        most = fmax(most, off);
    }
    assert_true(most > 10 * c.dQ_tolerance);
    assert_true(most < 1000 * c.dQ_tolerance);
}

/* In a NaN row standard_attention stores NaN in P at attended keys, and 0 at
 * other keys. In row 1 all attended scores are NaN, in row 2 one is NaN, in row
 * 3 one is +inf. Key 6 is attended: its mask is -20000. Key 4 is masked. */
TEST(a_nan_row_of_P_is_0_where_it_is_masked)
{
    auto_case c = case_of(4, 9, 2, 2);
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
    c.h.P = case_array(4, 9);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(step_run(&chapter_04_steps[0], &c.h, &mem), MEMORY_OK);
    assert_int_equal(mem.extra, 4 * 9);
    memory_reset(&mem);
    for (size_t i = 1; i < 4; i++)
        for (size_t j = 0; j < 9; j++) {
            float P = row(c.h.P.hbm, i)[j];

            assert_true(j == 4 ? P == 0 : isnan(P));
        }
}

int main(void)
{
    /* For dQ and dK standard_backward reads dS, not P. A dS of 0 does not mean
     * that the weight is 0. */
    const attention_excuse excuses[] = {
        {"standard_backward", WEIGHTS_AGAIN | NARROW_WEIGHTS, 0, 0}, {0}};

    return run_backward_tests("flash1_backward", chapter_05_backward, excuses);
}
