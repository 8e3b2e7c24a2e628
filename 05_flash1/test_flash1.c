/* Tests flash1, its tile sizes, and line 12 of Algorithm 1. */
#include "05_flash1/steps.h"

#include <math.h>
#include <string.h>

#include "common/testing/contract/attention_contract.h"

/* For M = 50 and d = 5 the paper's Br and Bc are ceil(M / 4d) = 3. Three rows
 * each of Q, O, K and V have 60 elements. */
TEST(the_papers_rounding_up_can_exceed_M)
{
    auto_case c = case_of(20, 20, 5, 5);
    memory mem;

    case_exact(&c, 1);
    c.h.tile.Br = c.h.tile.Bc = tiles(50, 4 * 5);
    memory_init(&mem, 50);
    assert_int_equal(step_run(flash1_step, &c.h, &mem), MEMORY_TOO_SMALL);
    assert_non_null(strstr(mem.message, "memory of 50 elements is too small"));
    memory_reset(&mem);
    c.h.tile.Br = c.h.tile.Bc = 0; /* flash1_tiles rounds down */
    assert_int_equal(step_run(flash1_step, &c.h, &mem), MEMORY_OK);
    memory_reset(&mem);
}

/* A tile of masked keys multiplies O by l / l, which is exactly 1. */
TEST(a_tile_of_masked_keys_changes_no_bit_of_O)
{
    auto_case c = case_of(7, 40, 4, 5), first = case_of(7, 16, 4, 5);

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
}

int main(void)
{
    return run_attention_tests("flash1", chapter_05_steps, NULL);
}
