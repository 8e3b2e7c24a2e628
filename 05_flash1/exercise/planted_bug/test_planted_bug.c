/*
 * For the grader:
 *   no points: ordinary_heads_are_right
 *   no points: no_key_is_counted_twice
 *   no points: high_scores_are_right
 *   no points: low_scores_are_right_in_full_tiles
 *   planted_bug: KERNEL
 */
#include "planted_bug.h"

#include "common/testing/run_tests.h"
#include "common/testing/variant.h"
#include "common/testing/whole_kernel.h"

const attention_step whole_kernel = {.name = "planted_bug", .run = planted_bug};

/* Checks a head whose scores are first, first - 1, first - 2 and so on. */
static void check_scores(float first, size_t Nk, size_t Bc, const char *why)
{
    auto_case c = case_of_scores(2, Nk, 3);

    for (size_t j = 0; j < Nk; j++)
        case_score(&c, j, first - (float)j);
    whole_kernel_gives(&c, 1, Bc, why);
}

/* The first four keys have equal weights, and the other keys have a weight of
 * almost 0. So this test also passes if the kernel skips the other keys. */
TEST(no_key_is_counted_twice)
{
    auto_case c = case_of_scores(2, 7, 3);

    for (size_t j = 0; j < 7; j++)
        case_score(&c, j, j < 4 ? 0 : -40);
    whole_kernel_gives(&c, 1, 4, "7 keys in tiles of 4: no key counts twice");
}

TEST(ordinary_heads_are_right)
{
    size_t Nq = variant_size(46, 9, 5, 14), Nk = variant_size(47, 8, 6, 16);

    for (size_t Br = 1; Br <= 4; Br++)
        for (size_t Bc = 1; Bc <= 5; Bc++) {
            auto_case c = case_of(Nq, Nk, 4, 3);

            case_exact(&c, Br + 10 * Bc);
            whole_kernel_gives(&c, Br, Bc,
                               "an ordinary head: the keys of the ragged tile "
                               "count like all others");
        }
}

TEST(high_scores_are_right)
{
    check_scores(200, 8, 4, "e^200 overflows: subtract the maximum");
    check_scores(200, 7, 4, "e^200 overflows: subtract the maximum");
}

TEST(low_scores_are_right_in_full_tiles)
{
    check_scores(-200, 8, 4,
                 "all scores are near -200, and all tiles are full");
}

TEST(low_scores_are_right_in_a_ragged_tile)
{
    auto_case c = case_of_scores(5, 7, 2);

    for (size_t j = 0; j < 7; j++)
        case_score(&c, j, -200 - (float)j);
    *q_of(&c, 0) = 0.125f; /* the scores of query 0 are near -25 */
    whole_kernel_gives(
        &c, 2, 4, "most scores are near -200, and the last tile is ragged");
}
