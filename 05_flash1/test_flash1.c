/*
 * flash1 keeps the contract, visits no tile that it need not, and does at each
 * visit what line 12 says. (What it moves and saves: 06_flash2/test_traffic.c.)
 */
#include "05_flash1/steps.h"

#include <math.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"

static const attention_step *const flash1_step = &chapter_05_steps[0];

/* --- HBM ------------------------------------------------------------------ */

static const tile_sizes tile_pairs[] = {{1, 1},   {4, 8},   {8, 4},  {3, 7},
                                        {16, 16}, {64, 64}, {5, 100}};
#define PAIRS (sizeof tile_pairs / sizeof tile_pairs[0])

/* Which (i, j) are visited, asked of every tile: does its last query see the
 * first key? Each visit reads Q, O, m, l and writes O, m, l. */
static void with_a_causal_limit_only_visits_count(void **state)
{
    const size_t Nq = 30, Nk = 47, d = 5, dv = 3;
    head h = {.Nq = Nq, .Nk = Nk, .d = d, .dv = dv, .rule.causal = true};

    for (h.rule.offset = -40; h.rule.offset <= 60; h.rule.offset += 3)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t Br = tile_pairs[k].Br, Bc = tile_pairs[k].Bc, rows = 0;
            long seen = (long)Nq - 1 + h.rule.offset + 1;
            size_t keys = seen < 0 ? 0 : min_size((size_t)seen, Nk);

            for (size_t i = 0; i < Nq; i++) /* the visits of each row */
                for (size_t j0 = 0; j0 < Nk; j0 += Bc) {
                    size_t last = min_size(i / Br * Br + Br, Nq) - 1;

                    rows += (long)j0 <= (long)last + h.rule.offset;
                }
            assert_int_equal(counts_moved(flash1_traffic(&h, tile_pairs[k])),
                             keys * (d + dv) + rows * (d + 2 * dv + 4));
        }
}

/* --- The rule ------------------------------------------------------------- */

/* ceil(M / 4d) = 3 and min(3, d): 6 rows of 2d do not fit in M = 50. */
static void the_papers_rounding_up_can_exceed_M(void **state)
{
    attention_case c = case_of(20, 20, 5, 5);
    memory mem;

    case_exact(&c, 1);
    c.h.tile.Br = c.h.tile.Bc = tiles(50, 4 * 5);
    memory_init(&mem, 50);
    assert_int_equal(step_run(flash1_step, &c.h, &mem), MEMORY_TOO_SMALL);
    assert_non_null(strstr(mem.message, "memory of 50 elements is too small"));
    memory_reset(&mem);
    c.h.tile.Br = c.h.tile.Bc = 0; /* rounded down they do */
    assert_int_equal(step_run(flash1_step, &c.h, &mem), MEMORY_OK);
    memory_reset(&mem);
    case_free(&c);
}

/* --- Line 12 -------------------------------------------------------------- */

/* A visit by masked keys multiplies O by l / l, which is 1 exactly. */
static void a_tile_of_masked_keys_leaves_O_bit_for_bit(void **state)
{
    attention_case c = case_of(7, 40, 4, 5), first = case_of(7, 16, 4, 5);

    case_random(&c, 5);
    case_mask(&c);
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 16; j < 40; j++)
            mask_of(&c, i)[j] = -INFINITY;
    memcpy(q_of(&first, 0), q_of(&c, 0), 7 * 4 * sizeof(float));
    memcpy(k_of(&first, 0), k_of(&c, 0), 16 * 4 * sizeof(float));
    memcpy(v_of(&first, 0), v_of(&c, 0), 16 * 5 * sizeof(float));
    c.h.tile.Br = first.h.tile.Br = 3;
    c.h.tile.Bc = first.h.tile.Bc = 4;
    case_run(&c, flash1_step);
    case_run(&first, flash1_step);
    assert_memory_equal(c.h.O.hbm.data, first.h.O.hbm.data,
                        7 * 5 * sizeof(float));
    case_free(&c);
    case_free(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_a_causal_limit_only_visits_count),
        cmocka_unit_test(the_papers_rounding_up_can_exceed_M),
        cmocka_unit_test(a_tile_of_masked_keys_leaves_O_bit_for_bit),
    };

    return run_attention_tests("flash1", chapter_05_steps, NULL, tests,
                               sizeof tests / sizeof tests[0]);
}
