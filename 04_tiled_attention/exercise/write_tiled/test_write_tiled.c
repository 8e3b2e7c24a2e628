/*
 * For the grader:
 *   points: 30
 *   counted: traffic_is_that_of_the_formula
 *   counted: unseen_keys_are_not_loaded
 *   counted: a_query_and_a_tile_are_on_chip_and_no_more
 *   write_tiled: KERNEL
 */
#include "write_tiled.h"

#include "common/testing/run_tests.h"
#include "common/testing/whole_kernel.h"

const attention_step whole_kernel = {.name = "write_tiled", .run = write_tiled};

ALSO(one_tile_is_attention);

TEST(every_query_has_a_new_state)
{
    whole_kernel_does(
        4, 4, 1, 4,
        "initialise the state for each query: o = 0, m = -inf, l = 0");
}

ALSO(a_second_tile_of_keys_is_added);
ALSO(a_larger_maximum_rescales_what_there_is);
ALSO(tiles_need_not_divide_the_sizes);
ALSO(a_masked_first_tile_leaves_no_trace);
ALSO(each_query_sees_its_own_keys);
ALSO(any_head_is_right);

TEST(traffic_is_that_of_the_formula)
{
    auto_case c = whole_kernel_case(24, 4, 1, 4);

    whole_kernel_moves(&c, 24 * 24, "2Nd + N + 2NNd",
                       "Q, O and L once, K and V once for each query");
}

TEST(unseen_keys_are_not_loaded)
{
    auto_case c = whole_kernel_case(12, 4, 1, 3);

    case_causal(&c, 0);
    whole_kernel_moves(&c, 12 * 13 / 2, "2Nd + N + 2d (1 + 2 + ... + N)",
                       "causal: query i sees i + 1 keys here");
}

TEST(a_query_and_a_tile_are_on_chip_and_no_more)
{
    whole_kernel_takes(0, 6, "one q, one o, and a tile of K and V");
}
