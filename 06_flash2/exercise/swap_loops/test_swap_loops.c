/*
 * For the grader:
 *   counted: keys_come_once_for_each_tile_of_queries
 *   counted: no_hbm_scratch_is_allocated
 *   no points: one_tile_is_attention
 *   no points: every_tile_of_queries_initialises_O_m_l
 *   no points: a_second_tile_of_keys_is_added
 *   no points: a_larger_maximum_rescales_what_there_is
 *   no points: tiles_need_not_divide_the_sizes
 *   no points: a_masked_first_tile_leaves_no_trace
 *   no points: each_query_sees_its_own_keys
 *   no points: any_head_is_right
 *   swap_loops: KERNEL
 */
#include "swap_loops.h"

#include "common/testing/run_tests.h"
#include "common/testing/whole_kernel.h"

const attention_step whole_kernel = {.name = "swap_loops", .run = swap_loops};

ALSO(one_tile_is_attention);
ALSO(every_tile_of_queries_initialises_O_m_l);
ALSO(a_second_tile_of_keys_is_added);
ALSO(a_larger_maximum_rescales_what_there_is);
ALSO(tiles_need_not_divide_the_sizes);
ALSO(a_masked_first_tile_leaves_no_trace);
ALSO(each_query_sees_its_own_keys);
ALSO(any_head_is_right);

TEST(no_hbm_scratch_is_allocated)
{
    auto_case c = case_of(9, 10, 4, 3);
    size_t extra;

    case_exact(&c, 16);
    whole_kernel_gives(&c, 2, 3, "the result must be right first");
    extra = c.extra;
    if (extra > 0)
        fail_msg(
            "O, m and l stay on chip: want no HBM scratch, got %zu elements",
            extra);
}

ALSO(keys_come_once_for_each_tile_of_queries);
