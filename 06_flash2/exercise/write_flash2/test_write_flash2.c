/*
 * What write_flash2 has to give, from one tile to any shape, against float64;
 * and what it may move.
 */
#include "write_flash2.h"

#include "common/testing/run_tests.h"
#include "common/testing/whole_kernel.h"

static const attention_step step = {.name = "write_flash2",
                                    .run = write_flash2};
const attention_subject whole_kernel = {.step = &step};

/* --- What comes out ------------------------------------------------------- */

static void every_tile_of_queries_begins_anew(void **state)
{
    whole_kernel_does(2, 4, 2, 4,
                      "each row of a tile has an O, an m and an l of its own");
    whole_kernel_does(
        4, 4, 2, 4,
        "a tile of queries knows nothing of the one before: O, m and "
        "l begin at 0, -inf and 0");
}

/* --- What it costs -------------------------------------------------------- */

static void traffic_is_that_of_the_formula(void **state)
{
    attention_case c = whole_kernel_case(24, 4, 6, 4);

    whole_kernel_moves(
        &c, tiles(24, 6) * 24, "2Nd + N + 2 Tr N d",
        "Q, O and L once, K and V once for each tile of queries");
}

static void no_key_comes_that_no_query_sees(void **state)
{
    attention_case c = whole_kernel_case(12, 4, 4, 3);

    case_causal(&c, 0);
    whole_kernel_moves(&c, 4 + 8 + 12, "2Nd + N + 2d (4 + 8 + 12)",
                       "causal: the tiles of queries see 4, 8 and 12 keys");
}

static void four_tiles_are_on_chip_and_no_more(void **state)
{
    attention_case c = case_of(30, 30, 4, 3);
    size_t want = (5 + 6) * (4 + 3), got;

    case_exact(&c, 16);
    c.h.Br = 5;
    c.h.Bc = 6;
    case_run(&c, &whole_kernel);
    got = c.on_chip;
    case_free(&c);
    if (got != want)
        fail_msg("on chip lie tiles of Q, O, K and V: %zu elements, and you "
                 "asked for %zu",
                 want, got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tile_is_attention),
        cmocka_unit_test(every_tile_of_queries_begins_anew),
        cmocka_unit_test(a_second_tile_of_keys_is_added),
        cmocka_unit_test(a_larger_maximum_rescales_what_there_is),
        cmocka_unit_test(tiles_need_not_divide_the_sizes),
        cmocka_unit_test(a_masked_first_tile_leaves_no_trace),
        cmocka_unit_test(each_query_sees_its_own_keys),
        cmocka_unit_test(any_head_is_right),
        cmocka_unit_test(traffic_is_that_of_the_formula),
        cmocka_unit_test(no_key_comes_that_no_query_sees),
        cmocka_unit_test(four_tiles_are_on_chip_and_no_more),
    };

    return run_tests("write_flash2", tests);
}
