/*
 * For the grader:
 *   points: 30
 *   counted: keys_come_once_for_each_tile_of_queries
 *   counted: unseen_keys_are_not_loaded
 *   counted: four_tiles_are_on_chip_and_no_more
 *   write_flash2: KERNEL
 */
#include "write_flash2.h"

#include "common/testing/run_tests.h"
#include "common/testing/whole_kernel.h"

const attention_step whole_kernel = {.name = "write_flash2",
                                     .run = write_flash2};

ALSO(one_tile_is_attention);
ALSO(every_tile_of_queries_initialises_O_m_l);
ALSO(a_second_tile_of_keys_is_added);
ALSO(a_larger_maximum_rescales_what_there_is);
ALSO(tiles_need_not_divide_the_sizes);
ALSO(a_masked_first_tile_leaves_no_trace);
ALSO(each_query_sees_its_own_keys);
ALSO(any_head_is_right);
ALSO(keys_come_once_for_each_tile_of_queries);

TEST(unseen_keys_are_not_loaded)
{
    auto_case c = whole_kernel_case(12, 4, 4, 3);

    case_causal(&c, 0);
    whole_kernel_moves(&c, 4 + 8 + 12, "2Nd + N + 2d (4 + 8 + 12)",
                       "causal: the tiles of queries see 4, 8 and 12 keys");
}

TEST(four_tiles_are_on_chip_and_no_more)
{
    whole_kernel_takes(5, 6, "tiles of Q, O, K and V");
}
