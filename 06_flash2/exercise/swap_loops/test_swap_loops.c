/*
 * What swap_loops has to give, from one tile to any shape, against float64;
 * and what it may move.
 */
#include "swap_loops.h"

#include "common/testing/run_tests.h"
#include "common/testing/whole_kernel.h"

const attention_step whole_kernel = {.name = "swap_loops", .run = swap_loops};

static void no_row_is_put_down_between(void **state)
{
    attention_case c = case_of(9, 10, 4, 3);
    size_t extra;

    case_exact(&c, 16);
    c.h.tile.Br = 2;
    c.h.tile.Bc = 3;
    case_run(&c, &whole_kernel);
    extra = c.extra;
    case_free(&c);
    if (extra > 0)
        fail_msg("O, m and l stay on chip: want no HBM of your own, and you "
                 "asked for %zu elements",
                 extra);
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
        cmocka_unit_test(no_row_is_put_down_between),
        cmocka_unit_test(keys_come_once_for_each_tile_of_queries),
    };

    return run_tests("swap_loops", tests);
}
