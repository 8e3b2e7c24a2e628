/*
 * What write_flash2 has to give, from one tile to any shape, against float64;
 * and what it may move.
 */
#include "write_flash2.h"

#include "common/testing/run_tests.h"
#include "common/testing/whole_kernel.h"

const attention_step whole_kernel = {.name = "write_flash2",
                                     .run = write_flash2};

static void no_key_comes_that_no_query_sees(void **state)
{
    attention_case c = whole_kernel_case(12, 4, 4, 3);

    case_causal(&c, 0);
    whole_kernel_moves(&c, 4 + 8 + 12, "2Nd + N + 2d (4 + 8 + 12)",
                       "causal: the tiles of queries see 4, 8 and 12 keys");
}

static void four_tiles_are_on_chip_and_no_more(void **state)
{
    whole_kernel_takes(5, 6, "tiles of Q, O, K and V");
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
        cmocka_unit_test(keys_come_once_for_each_tile_of_queries),
        cmocka_unit_test(no_key_comes_that_no_query_sees),
        cmocka_unit_test(four_tiles_are_on_chip_and_no_more),
    };

    return run_tests("write_flash2", tests);
}
